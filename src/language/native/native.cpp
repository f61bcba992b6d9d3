// SPDX-License-Identifier: Apache-2.0
// What all compiled programs have: the loader, the C library, and what no language is told of.
#include "language/language.h"

namespace atys::language {

namespace {

// "f.llvm.1234567890": of a function that is the unit's own, made known to others.
void cut_unit(std::string& name) {
  if (const size_t at = name.find(".llvm."); at != std::string::npos && at > 0) name.erase(at);
}

// A step on the way into another module: who calls it pays for it.
bool is_of_linkage(std::string_view name, std::string_view /*file*/) { return name.ends_with("@plt"); }

// Many languages keep copies of others' code there.
std::optional<PackagePlace> vendored_package(const PathParts& path, size_t folder) {
  if (path.parts[folder] != "vendor") return std::nullopt;
  return PackagePlace{"vendor", folder + 1, 1};
}

}  // namespace

const Language& native() {
  static const Language facts{
      .name = "native",
      .frame_kinds = {{.name = "native", .category = Category::Compiled, .hue = 255, .lies_in_modules = true},
                      {.name = "user", .category = Category::Compiled, .hue = 255},
                      {.name = "jit", .category = Category::CompiledWhileRunning, .hue = 155}},
      .library_folders = {"/vendor/", "/third_party/", "/Cellar/"},
      .runtime_folders = {"/sysdeps/", "/glibc", "/lib/gcc/"},
      .runtime_modules = {"libc.so", "libc-", "libc.musl", "ld-linux", "ld-musl", "ld-2.", "libpthread", "libm.so", "libm-",
                          "libgcc_s", "libdl.", "librt."},
      .runtime_names = {"_start", "__libc_start", "__GI_"},
      .is_runtime_function = is_of_linkage,
      .collects_garbage = {"arbage coll"},
      .starts_and_ends = {"_dl_start", "_dl_main", "__libc_start_call_main", "_dl_relocate", "_exit"},
      .cut_build = cut_unit,
      .archives = {".so"},
      .package_at = vendored_package,
      .program_folders = {"bin", "sbin", "libexec"},
      .plain_folders = {"bin", "sbin", "lib", "libexec", "src", "build", "out", "app", "main", "current", "local", "usr"},
  };
  return facts;
}

}  // namespace atys::language
