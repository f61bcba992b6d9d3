// SPDX-License-Identifier: Apache-2.0
// JavaScript and what is translated to it, in Node.js, Deno, Bun and other programs with V8 in them.
#include "language/language.h"

namespace atys::language {

namespace {

// "JS:*f": whether V8 had optimized it.
void cut_v8_tier(std::string& name) {
  for (const std::string_view made : {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"}) {
    if (!name.starts_with(made) || name.size() <= made.size()) continue;
    if (std::string_view("*~^+'").find(name[made.size()]) != std::string_view::npos) name.erase(made.size(), 1);
  }
}

std::optional<PackagePlace> node_package(const PathParts& path, size_t folder) {
  if (path.parts[folder] != "node_modules") return std::nullopt;
  const bool is_of_a_scope = path.parts[folder + 1].starts_with('@') && folder + 2 < path.parts.size();
  return PackagePlace{"node", folder + 1, is_of_a_scope ? size_t{2} : size_t{1}};
}

}  // namespace

const Language& node() {
  static const Language facts{
      .name = "node",
      .frame_kinds = {{.name = "v8js", .category = Category::CompiledWhileRunning, .hue = 140},
                      {.name = "v8", .category = Category::CompiledWhileRunning, .hue = 140},
                      {.name = "node", .category = Category::CompiledWhileRunning, .hue = 140}},
      .source_extensions = {".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".vue", ".svelte"},
      .is_placed_by_file = true,
      .library_folders = {"node_modules/", "/bower_components/"},
      .runtime_folders = {"node:"},
      .runtime_paths = {"internal/"},
      .runtime_modules = {"libnode.", "libv8"},
      .runtime_names = {"(garbage collector)", "(program)", "(idle)"},
      .collects_garbage = {"Scavenger", "ScavengeJob", "MarkCompact", "internal::Heap::", "ConcurrentMarking",
                           "Sweeper::", "MinorGC"},
      .compiles_code = {"OptimizingCompile", "internal::compiler", "internal::Compiler", "maglev::", "ConcurrentBaseline",
                        "sparkplug"},
      .starts_and_ends = {"node::Start"},
      .anonymous = {"(anonymous)", "<anonymous>"},
      .cut_build = cut_v8_tier,
      .versioned_folders = {"node"},
      .package_at = node_package,
      .writes_perf_map = {"node --perf-basic-prof …"},
      .interpreters = {{.names = {"node", "nodejs"},
                        .takes_word = {"-r", "--require", "--import", "--loader", "--experimental-loader", "-C",
                                       "--conditions"},
                        .code_follows = {"-e", "--eval", "-p", "--print", "-pe"},
                        .runs_first_argument = {"node", "nodejs"}},
                       {.names = {"deno", "bun"},
                        .takes_word = {"-c", "--config", "--import-map"},
                        .code_follows = {"-e", "--eval", "eval"},
                        .verbs = {"run", "exec", "serve"},
                        .runs_first_argument = {"bun"}}},
      .run_by = {{".js", "node"}, {".mjs", "node"}, {".cjs", "node"}},
      .program_folders = {".bin"},
      .plain_folders = {"dist"},
  };
  return facts;
}

}  // namespace atys::language
