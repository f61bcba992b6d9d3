// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

namespace {

// "block in Node#render", "block (2 levels) in Node#render"
bool is_ruby_block(std::string_view name) {
  return name.starts_with("block in ") ||
         (name.starts_with("block (") && name.find(" levels) in ") != std::string_view::npos);
}

std::optional<PackagePlace> gem_at(const PathParts& path, size_t folder) {
  if (path.parts[folder] != "gems") return std::nullopt;
  return PackagePlace{"ruby", folder + 1, 1};
}

}  // namespace

const Language& ruby() {
  static const Language facts{
      .name = "ruby",
      .frame_kinds = {{.name = "ruby", .category = Category::Interpreted, .hue = 10}},
      .source_extensions = {".rb"},
      .is_placed_by_file = true,
      .library_folders = {"/gems/"},
      .runtime_folders = {"/lib/ruby/", "<internal:"},
      .runtime_modules = {"libruby"},
      .collects_garbage = {"gc_start"},
      .compiles_code = {"rb_yjit"},
      .is_anonymous_within = is_ruby_block,
      .run_marks = {{.before = "#<Class:0x", .least_digits = 6}},
      .versioned_folders = {"ruby"},
      .package_at = gem_at,
      .interpreters = {{.names = {"ruby"},
                        .takes_word = {"-C", "-I", "-r"},
                        .code_follows = {"-e"},
                        .has_clusters = true,
                        .runs_first_argument = {"ruby", "ruby[0-9]*"}}},
      .run_by = {{".rb", "ruby"}},
  };
  return facts;
}

}  // namespace atys::language
