// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& nim() {
  static const Language facts{
      .name = "nim",
      .source_extensions = {".nim"},
  };
  return facts;
}

}  // namespace atys::language
