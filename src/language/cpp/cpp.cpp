// SPDX-License-Identifier: Apache-2.0
// C and C++.
#include "language/language.h"

namespace atys::language {

namespace {

// "f.isra.0", "f.part.3.cold", "f [clone .constprop.0]", "f.llvm.123": what a compiler made of f. "f[abi:cxx11]": for whom.
void cut_cpp_clone(std::string& name) {
  if (const size_t at = name.find(" [clone "); at != std::string::npos) name.erase(at);
  for (const std::string_view suffix : {".isra.", ".part.", ".constprop.", ".cold", ".lto_priv.", ".llvm.", ".localalias"})
    if (const size_t at = name.find(suffix); at != std::string::npos && at > 0) name.erase(at);
  for (size_t at = name.find("[abi:"); at != std::string::npos; at = name.find("[abi:")) {
    const size_t close = name.find(']', at);
    name.erase(at, close == std::string::npos ? std::string::npos : close + 1 - at);
  }
}

}  // namespace

const Language& cpp() {
  static const Language facts{
      .name = "cpp",
      .source_extensions = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".ipp"},
      .runtime_folders = {"/libstdc++-v3/", "/include/c++/", "-linux-gnu/c++/"},
      .runtime_modules = {"libstdc++"},
      .runtime_scopes = {"std", "__gnu_cxx", "__cxxabiv1"},
      .anonymous_endings = {"{lambda}", "{unnamed}"},
      .cut_variant = cut_cpp_clone,
  };
  return facts;
}

}  // namespace atys::language
