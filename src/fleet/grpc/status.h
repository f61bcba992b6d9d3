// SPDX-License-Identifier: Apache-2.0
// gRPC statuses as errors of ours; what the OTLP standard has tried again becomes Unavailable.
#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "base/result.h"

namespace atys::fleet {

// `peer` is named in what the user reads.
Error to_error(const grpc::Status& status, const std::string& peer);

}  // namespace atys::fleet
