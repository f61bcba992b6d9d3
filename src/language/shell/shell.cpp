// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& shell() {
  static const Language facts{
      .name = "shell",
      .interpreters = {{.names = {"bash", "sh", "dash", "ash", "zsh", "ksh"},
                        .takes_word = {"-o", "-O", "--rcfile", "--init-file"},
                        .code_follows = {"-c"},
                        .has_clusters = true,
                        .is_shell = true,
                        .runs_first_argument = {"sh", "bash", "dash", "zsh"}}},
      .run_by = {{".sh", "sh"}, {".bash", "bash"}},
  };
  return facts;
}

}  // namespace atys::language
