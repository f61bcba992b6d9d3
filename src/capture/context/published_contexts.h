// SPDX-License-Identifier: Apache-2.0
// The conventions that we know: OpenTelemetry's process and thread context, and the labels of goroutines.
#pragma once

#include "capture/native/context_finder.h"

namespace atys::capture {

class PublishedContexts final : public native::ContextFinder {
 public:
  std::optional<Found> find_context(pid_t pid) override;
};

}  // namespace atys::capture
