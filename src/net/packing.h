// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/message.h"

namespace atys::net {

// Takes gzip off a body that says it is packed so. ResourceExhausted: it would be more than `most_bytes`; Unsupported: it is
// packed otherwise.
Result<> unpack(Request& request, size_t most_bytes);

}  // namespace atys::net
