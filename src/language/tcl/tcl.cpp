// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& tcl() {
  static const Language facts{
      .name = "tcl",
      .interpreters = {{.names = {"tclsh", "wish"}, .code_follows = {"-c"}}},
  };
  return facts;
}

}  // namespace atys::language
