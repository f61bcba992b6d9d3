// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/symbol_name.h"

#include <algorithm>
#include <array>

#include "base/path_names.h"

namespace atys::format::perf_script {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_java_descriptor(std::string_view symbol) {
  const size_t slash = symbol.find('/');
  return symbol.starts_with('L') && slash != std::string_view::npos && symbol.find(';', slash) != std::string_view::npos;
}

bool is_number_between(std::string_view text, std::string_view before, std::string_view after) {
  if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after)) return false;
  text = text.substr(before.size(), text.size() - before.size() - after.size());
  return std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '-'; });
}

bool is_kernel_module(std::string_view module) {
  // Kernel modules are in brackets too; so are these, which are not of the kernel.
  static constexpr std::array<std::string_view, 8> kUserRegions = {"[unknown", "[vdso",  "[vsyscall", "[vvar",
                                                                   "[heap",    "[stack", "[anon",     "[uprobes"};
  if (module.starts_with('[')) {
    return std::ranges::none_of(kUserRegions, [&](std::string_view region) { return module.starts_with(region); });
  }
  const std::string_view base = base_name(module);
  return base.starts_with("vmlinux") || base.ends_with(".ko") || base.find(".ko.") != std::string_view::npos;
}

}  // namespace

std::string tidy_symbol(std::string_view symbol) {
  if (!is_java_descriptor(symbol)) return std::string(symbol);
  std::string name(symbol.substr(1));
  name.erase(name.find(';'), 1);
  return name;
}

std::string name_of_unknown(std::string_view module) {
  if (module.empty()) return "[unknown]";
  const std::string_view base = module.starts_with('[') ? module : base_name(module);
  if (base.starts_with('[')) return std::string(base);
  std::string name = "[";
  name.append(base).push_back(']');
  return name;
}

std::string_view kind_of_module(std::string_view module) {
  if (module == "inlined") return "inlined";
  const std::string_view base = base_name(module);
  if (is_number_between(base, "perf-", ".map") || is_number_between(base, "jitted-", ".so")) return "jit";
  return is_kernel_module(module) ? "kernel" : "";
}

}  // namespace atys::format::perf_script
