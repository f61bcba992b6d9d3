// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& v() {
  static const Language facts{
      .name = "v",
      .source_extensions = {".v"},
  };
  return facts;
}

}  // namespace atys::language
