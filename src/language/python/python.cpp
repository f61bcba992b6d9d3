// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

namespace {

std::optional<PackagePlace> python_package(const PathParts& path, size_t folder) {
  const std::string_view part = path.parts[folder];
  if (part == "site-packages" || part == "dist-packages") {
    const bool is_egg = path.parts[folder + 1].ends_with(".egg") && folder + 2 < path.parts.size();
    return PackagePlace{"python", folder + (is_egg ? 2 : 1), 1};
  }
  // Of Python's own library the path below tells all.
  const bool is_own = part.starts_with("python") && path.stems[folder] == "python";
  if (is_own && folder > 0 && path.parts[folder - 1].starts_with("lib")) return PackagePlace{"python-lib", folder + 1, 0};
  return std::nullopt;
}

}  // namespace

const Language& python() {
  static const Language facts{
      .name = "python",
      .frame_kinds = {{.name = "cpython", .category = Category::Interpreted, .hue = 100},
                      {.name = "python", .category = Category::Interpreted, .hue = 100}},
      .source_extensions = {".py", ".pyx"},
      .is_placed_by_file = true,
      .library_folders = {"/site-packages/", "/dist-packages/", "/conda/pkgs/"},
      .runtime_folders = {"/lib/python2.", "/lib/python3.", "/lib/python3/", "<frozen "},
      .runtime_modules = {"libpython"},
      .collects_garbage = {"gc_collect"},
      .starts_and_ends = {"Py_Finalize", "Py_Initialize", "pymain_init"},
      .anonymous = {"<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"},
      .prefixes_of_placed = {"py::"},
      .run_marks = {{.before = " at 0x", .least_digits = 6}},
      .versioned_folders = {"python", "libpython", "pypy"},
      .module_marks = {".cpython-"},
      .archives = {".egg"},
      .package_at = python_package,
      .writes_perf_map = {"PYTHONPERFSUPPORT=1 python3 …"},
      .interpreters = {{.names = {"python", "pypy"},
                        .takes_word = {"-X", "-W", "-Q", "--check-hash-based-pycs"},
                        .code_follows = {"-c"},
                        .name_follows = {"-m"},
                        .has_clusters = true,
                        .runs_first_argument = {"python", "python3", "python[23].[0-9]*", "pypy3"}}},
      .run_by = {{".py", "python3"}},
      .program_folders = {"Scripts"},
      .plain_folders = {"venv", ".venv"},
  };
  return facts;
}

}  // namespace atys::language
