// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& perl() {
  static const Language facts{
      .name = "perl",
      .frame_kinds = {{.name = "perl", .category = Category::Interpreted, .hue = 180}},
      .source_extensions = {".pl"},
      .is_placed_by_file = true,
      .versioned_folders = {"perl"},
      .interpreters = {{.names = {"perl"},
                        .takes_word = {"-I"},
                        .code_follows = {"-e", "-E"},
                        .has_clusters = true,
                        .runs_first_argument = {"perl"}}},
      .run_by = {{".pl", "perl"}},
  };
  return facts;
}

}  // namespace atys::language
