// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& assembly() {
  static const Language facts{
      .name = "assembly",
      .source_extensions = {".s", ".S", ".asm"},
  };
  return facts;
}

}  // namespace atys::language
