// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& crystal() {
  static const Language facts{
      .name = "crystal",
      .source_extensions = {".cr"},
  };
  return facts;
}

}  // namespace atys::language
