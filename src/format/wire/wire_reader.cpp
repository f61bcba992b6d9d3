// SPDX-License-Identifier: Apache-2.0
#include "format/wire/wire_reader.h"

namespace atys::format {

Error WireReader::error() const {
  return fail(ErrorCode::InvalidInput, "bad protobuf data at offset " + std::to_string(offset()) + ": " + problem_,
              "the file is damaged or cut short; get it again");
}

}  // namespace atys::format
