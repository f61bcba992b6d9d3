// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& r() {
  static const Language facts{
      .name = "r",
      .source_extensions = {".r", ".R"},
      .interpreters = {{.names = {"R", "Rscript"},
                        .takes_word = {"-g"},
                        .code_follows = {"-e"},
                        .file_follows = {"-f"},
                        .file_is_attached = "--file=",
                        .runs_first_argument = {"Rscript"}}},
  };
  return facts;
}

}  // namespace atys::language
