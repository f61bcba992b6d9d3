// SPDX-License-Identifier: Apache-2.0
// C#, F# and what else .NET and Mono run.
#include "language/language.h"

namespace atys::language {

const Language& dotnet() {
  static const Language facts{
      .name = "dotnet",
      .frame_kinds = {{.name = "dotnet", .category = Category::CompiledWhileRunning, .hue = 275}},
      .source_extensions = {".cs", ".fs"},
      .is_placed_by_file = true,
      .library_folders = {"/.nuget/"},
      .runtime_modules = {"libcoreclr", "libclrjit"},
      .runtime_packages = {"System.", "Microsoft.", "Interop.", "[System.", "[Microsoft."},
      .collects_garbage = {"SVR::", "WKS::"},
      .compiles_code = {"jitted_method", "CILJit"},
      .writes_perf_map = {"DOTNET_PerfMapEnabled=1 …"},
      .interpreters = {{.names = {"dotnet", "mono"},
                        .takes_word = {"--additionalprobingpath", "--depsfile", "--runtimeconfig", "--fx-version",
                                       "--project"},
                        .verbs = {"exec", "run"}}},
  };
  return facts;
}

}  // namespace atys::language
