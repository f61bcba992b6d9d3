// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/symbol_name.h"

#include <algorithm>
#include <array>

namespace atys::format::perf_script {

namespace {

constexpr std::string_view kAnonymousNamespace = "(anonymous namespace)";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool follows_operator(std::string_view symbol, size_t position) {
  const std::string_view before = symbol.substr(0, position);
  return before.ends_with("operator") || before.ends_with("operator<") || before.ends_with("operator-");
}

// Past the parenthesis that closes the one at `open`; the end where none does.
size_t past_group(std::string_view symbol, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < symbol.size(); ++i) {
    if (symbol[i] == '(') ++depth;
    if (symbol[i] == ')' && --depth == 0) return i + 1;
  }
  return symbol.size();
}

// Where the parameter list begins, or npos. Parentheses in template arguments, in the call operator, in Go receivers and in
// the parameter list of an enclosing function ("f(int)::local") are part of the name. With `nested`, brackets are not
// heeded.
size_t find_parameters(std::string_view symbol, bool nested) {
  size_t depth = 0;
  for (size_t i = 0; i < symbol.size(); ++i) {
    const char c = symbol[i];
    if ((c == '<' || c == '{') && !follows_operator(symbol, i)) ++depth;
    if ((c == '>' || c == '}') && depth > 0 && !follows_operator(symbol, i)) --depth;
    if (c != '(' || (depth > 0 && !nested)) continue;
    if (symbol.substr(i).starts_with(kAnonymousNamespace)) {
      i += kAnonymousNamespace.size() - 1;
    } else if (i > 0 && symbol[i - 1] != '.' && !follows_operator(symbol, i)) {
      const size_t past = past_group(symbol, i);
      if (!symbol.substr(past).starts_with("::")) return i;
      i = past;
    }
  }
  return std::string_view::npos;
}

std::string_view without_parameters(std::string_view symbol) {
  if (symbol.find('(') == std::string_view::npos) return symbol;
  size_t begin = find_parameters(symbol, false);
  // Names of scripts hold any text: brackets that never close hide what follows them.
  if (begin == std::string_view::npos) begin = find_parameters(symbol, true);
  const std::string_view name = symbol.substr(0, begin);
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

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
  std::string_view kept = symbol;
  if (is_java_descriptor(kept)) kept.remove_prefix(1);
  kept = without_parameters(kept);
  if (kept.empty()) kept = symbol;
  std::string name;
  for (const char c : kept) {
    if (c != '"' && c != '\'') name += c == ';' ? ':' : c;
  }
  return name.empty() ? std::string(symbol) : name;
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
