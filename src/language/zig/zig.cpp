// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& zig() {
  static const Language facts{
      .name = "zig",
      .source_extensions = {".zig"},
  };
  return facts;
}

}  // namespace atys::language
