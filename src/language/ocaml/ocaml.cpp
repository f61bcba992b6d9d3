// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& ocaml() {
  static const Language facts{
      .name = "ocaml",
      .source_extensions = {".ml"},
  };
  return facts;
}

}  // namespace atys::language
