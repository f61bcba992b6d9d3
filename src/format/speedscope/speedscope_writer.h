// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/byte_sink.h"
#include "base/result.h"
#include "format/format.h"

namespace atys::format::speedscope {

// One profile of the file per thread and value type, all value types of a thread in a row.
Result<> write_speedscope(const Profile& profile, const WriteOptions& options, ByteSink& sink);

}  // namespace atys::format::speedscope
