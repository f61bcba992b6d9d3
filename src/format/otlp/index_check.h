// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

// Whether every index lies in its table. One pass before anything is made of the message, because here it is still known
// where in the file a message was: the error names its offset or, for JSON, its path.
Result<> check_indices(const message::ProfilesData& data);

}  // namespace atys::format::otlp
