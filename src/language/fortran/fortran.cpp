// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& fortran() {
  static const Language facts{
      .name = "fortran",
      .source_extensions = {".f", ".f90", ".f95"},
  };
  return facts;
}

}  // namespace atys::language
