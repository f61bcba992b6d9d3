// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& php() {
  static const Language facts{
      .name = "php",
      .frame_kinds = {{.name = "php", .category = Category::Interpreted, .hue = 290}},
      .source_extensions = {".php"},
      .is_placed_by_file = true,
      .runtime_modules = {"libphp"},
      .compiles_code = {"zend_jit"},
      .anonymous = {"{closure}"},
      .versioned_folders = {"php"},
      .interpreters = {{.names = {"php"},
                        .takes_word = {"-d", "-c", "-z", "-S", "-t"},
                        .code_follows = {"-r", "-B", "-R", "-E"},
                        .file_follows = {"-f", "-F"},
                        .runs_first_argument = {"php", "php[0-9]*"}}},
      .run_by = {{".php", "php"}},
  };
  return facts;
}

}  // namespace atys::language
