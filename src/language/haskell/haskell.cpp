// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& haskell() {
  static const Language facts{
      .name = "haskell",
      .source_extensions = {".hs"},
  };
  return facts;
}

}  // namespace atys::language
