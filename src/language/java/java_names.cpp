// SPDX-License-Identifier: Apache-2.0
#include "language/java/java_names.h"

#include <utility>

#include "base/hex.h"

namespace atys::language {

namespace {

// Takes a number off the front of `text`; whether there was one.
bool take_digits(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// What follows "$$Lambda", "LambdaForm$MH" or the like at the front of `text`, up to the method: "$89/0x7f12.927327686".
void take_marks_of_class(std::string_view& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const char sign = rest.front();
    rest.remove_prefix(1);
    if (sign != '$' && sign != '/' && sign != '+' && sign != '.' && sign != '_') return;
    if (rest.starts_with("0x")) {
      const size_t end = std::min(rest.find_first_of("./$+:"), rest.size());
      if (!is_hex(rest.substr(2, end - 2))) return;
      rest.remove_prefix(end);
    } else if (!take_digits(rest)) {
      return;
    }
    if (!rest.empty() && std::string_view("./$+:;").find(rest.front()) == std::string_view::npos) return;
    text = rest;
  }
}

}  // namespace

std::string stable_java_name(std::string_view name) {
  static constexpr std::string_view kMadeAtRunTime[] = {"$$Lambda", "LambdaForm$MH", "LambdaForm$DMH", "LambdaForm$VH",
                                                        "LambdaForm$BMH"};
  static constexpr std::string_view kNumbered[] = {"GeneratedMethodAccessor", "GeneratedConstructorAccessor",
                                                   "GeneratedSerializationConstructorAccessor"};
  const auto find_one = [&](std::string_view word) { return std::pair(name.find(word), word.size()); };
  for (const std::string_view word : kMadeAtRunTime) {
    const auto [at, length] = find_one(word);
    if (at == std::string_view::npos) continue;
    std::string_view rest = name.substr(at + length);
    take_marks_of_class(rest);
    return std::string(name.substr(0, at + length)).append(rest);
  }
  for (const std::string_view word : kNumbered) {
    const auto [at, length] = find_one(word);
    if (at == std::string_view::npos) continue;
    std::string_view rest = name.substr(at + length);
    take_digits(rest);
    return std::string(name.substr(0, at + length)).append(rest);
  }
  return std::string(name);
}

std::string java_file_of(std::string_view method) {
  const size_t dot = method.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || method.find_first_of(" ()[]/:") != std::string_view::npos) return {};
  std::string_view type = method.substr(0, dot);
  type.remove_prefix(type.rfind('.') + 1);
  // Objects of Scala end so, and their files may have any name.
  if (type.ends_with('$') || type.starts_with('$')) return {};
  type = type.substr(0, type.find('$'));
  if (type.ends_with("Kt") && type.size() > 2) return std::string(type.substr(0, type.size() - 2)) + ".kt";
  return type.empty() ? std::string() : std::string(type) + ".java";
}

}  // namespace atys::language
