// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& dart() {
  static const Language facts{
      .name = "dart",
      .source_extensions = {".dart"},
  };
  return facts;
}

}  // namespace atys::language
