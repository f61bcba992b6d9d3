// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& swift() {
  static const Language facts{
      .name = "swift",
      .source_extensions = {".swift"},
  };
  return facts;
}

}  // namespace atys::language
