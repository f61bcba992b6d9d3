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
// For tables, which hold each entry once: equal bytes, equal entry.
std::string encode_binary(const message::Attribute& attribute);
std::string encode_binary(const message::Mapping& mapping);
std::string encode_binary(const message::Location& location);
std::string encode_binary(const message::Function& function);
std::string encode_binary(const message::Link& link);
std::string encode_binary(const message::Stack& stack);

}  // namespace atys::format::otlp
