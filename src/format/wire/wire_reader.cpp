// SPDX-License-Identifier: Apache-2.0
#include "format/wire/wire_reader.h"

#include <algorithm>

namespace atys::format {

bool is_plain_text(std::string_view head) {
  return std::ranges::none_of(head, [](unsigned char c) { return c < ' ' && c != '\t' && c != '\r' && c != '\n'; });
}

Error WireReader::error() const {
  return fail(ErrorCode::InvalidInput, "bad protobuf data at offset " + std::to_string(offset()) + ": " + problem_,
              "the file is damaged or cut short; get it again");
}

}  // namespace atys::format
