// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& scheme() {
  static const Language facts{
      .name = "scheme",
      .interpreters = {{.names = {"guile"}, .code_follows = {"-c"}}},
  };
  return facts;
}

}  // namespace atys::language
