// SPDX-License-Identifier: Apache-2.0
// ProfilesData as protobuf.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

// `base` is the offset of `bytes` in the file, for error messages.
Result<message::ProfilesData> decode_binary(std::string_view bytes, size_t base = 0);

std::string encode_binary(const message::ProfilesData& data);
// For the attribute table, which holds each attribute once: equal bytes, equal attribute.
std::string encode_binary(const message::Attribute& attribute);

}  // namespace atys::format::otlp
