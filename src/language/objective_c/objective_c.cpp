// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& objective_c() {
  static const Language facts{
      .name = "objective_c",
      .source_extensions = {".m", ".mm"},
  };
  return facts;
}

}  // namespace atys::language
