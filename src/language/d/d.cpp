// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& d() {
  static const Language facts{
      .name = "d",
      .source_extensions = {".d"},
  };
  return facts;
}

}  // namespace atys::language
