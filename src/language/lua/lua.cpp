// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& lua() {
  static const Language facts{
      .name = "lua",
      .frame_kinds = {{.name = "luajit", .category = Category::CompiledWhileRunning, .hue = 230}},
      .source_extensions = {".lua"},
      .is_placed_by_file = true,
      .interpreters = {{.names = {"lua", "luajit"},
                        .takes_word = {"-l"},
                        .code_follows = {"-e"},
                        .has_clusters = true,
                        .runs_first_argument = {"lua", "lua5.*", "luajit"}}},
      .run_by = {{".lua", "lua"}},
  };
  return facts;
}

}  // namespace atys::language
