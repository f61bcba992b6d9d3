// SPDX-License-Identifier: Apache-2.0
// What runs on a graphics processor.
#include "language/language.h"

namespace atys::language {

const Language& cuda() {
  static const Language facts{
      .name = "cuda",
      .frame_kinds = {{.name = "gpu", .category = Category::Gpu, .hue = 325},
                      {.name = "cuda", .category = Category::Gpu, .hue = 325}},
      .source_extensions = {".cu"},
  };
  return facts;
}

}  // namespace atys::language
