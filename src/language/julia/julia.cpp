// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

const Language& julia() {
  static const Language facts{
      .name = "julia",
      .source_extensions = {".jl"},
      .interpreters = {{.names = {"julia"}, .takes_word = {"-J", "-t", "-p", "-L"}, .code_follows = {"-e", "-E", "--eval"}}},
  };
  return facts;
}

}  // namespace atys::language
