// SPDX-License-Identifier: Apache-2.0
// Common Lisp, as SBCL runs it.
#include "language/language.h"

namespace atys::language {

namespace {

// "(LAMBDA (ORDER) :IN SHOP::CHECKOUT)", "(FLET PRICE :IN SHOP::CHECKOUT)"
bool is_local_of_lisp(std::string_view name) {
  return (name.starts_with("(LAMBDA ") || name.starts_with("(FLET ") || name.starts_with("(LABELS ")) &&
         name.find(" :IN ") != std::string_view::npos;
}

}  // namespace

const Language& lisp() {
  static const Language facts{
      .name = "lisp",
      .source_extensions = {".lisp", ".lsp", ".asd"},
      .is_placed_by_file = true,
      .library_folders = {"/quicklisp/dists/", "/.roswell/"},
      .runtime_folders = {"/lib/sbcl/", "/share/sbcl-source/", "SYS:SRC;"},
      .runtime_names = {"SB-", "COMMON-LISP:"},
      .collects_garbage = {"collect_garbage", "SUB-GC"},
      .is_anonymous_within = is_local_of_lisp,
      .interpreters = {{.names = {"sbcl"},
                        .takes_word = {"--core", "--dynamic-space-size", "--control-stack-size", "--userinit", "--sysinit"},
                        .code_follows = {"--eval"},
                        .file_follows = {"--script", "--load"}}},
      .run_by = {{".lisp", "sbcl --script"}},
  };
  return facts;
}

}  // namespace atys::language
