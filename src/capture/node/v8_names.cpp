// SPDX-License-Identifier: Apache-2.0
#include "capture/node/v8_names.h"

#include <array>

#include "base/hex.h"
#include "linux/proc_text.h"

namespace atys::capture::node {

namespace {

constexpr std::string_view kAnonymous = "(anonymous)";

// What code of functions begins with; before V8 9.x the way that it was compiled was said.
constexpr std::array<std::string_view, 6> kFunctionTags{"JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "Wasm:"};

// Code that is no function of a program: it has a name and nothing else.
constexpr std::array<std::string_view, 9> kOtherTags{
    "Builtin:", "BytecodeHandler:", "Stub:", "Handler:", "RegExp:", "Callback:", "CppFunction:", "Trampoline:", "Code:"};

std::string without_percent(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_value(text[i + 2]);
    if (low < 0 || high + low == 0) {  // a zero byte has no business in a name
      result.push_back(text[i]);
      continue;
    }
    result.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return result;
}

std::optional<V8Tier> tier_of(char sign) {
  switch (sign) {
    case '~': return V8Tier::Interpreted;
    case '^': return V8Tier::Baseline;
    case '+': return V8Tier::Maglev;
    case '*': return V8Tier::Optimised;
    default: return {};
  }
}

// Takes ":12" off the end.
std::optional<int64_t> take_number(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return {};
  if (text.find_first_not_of("0123456789", colon + 1) != std::string_view::npos) return {};
  const auto number = linux::parse_number<int64_t>(text.substr(colon + 1));
  if (number) text.remove_suffix(text.size() - colon);
  return number;
}

// A path may hold spaces; a JavaScript name holds them only as "get x", "set x", "async f", "static f".
size_t end_of_function(std::string_view text) {
  size_t end = text.find(' ');
  for (const std::string_view word : {"get", "set", "async", "static", "bound", "class"})
    if (text.substr(0, end) == word && end != std::string_view::npos) {
      const size_t next = text.find(' ', end + 1);
      if (next != std::string_view::npos) end = next;
    }
  return end;
}

V8Name split_function(std::string_view text) {
  V8Name name;
  if (const auto tier = text.empty() ? std::nullopt : tier_of(text.front())) {
    name.tier = *tier;
    text.remove_prefix(1);
  }
  const size_t space = end_of_function(text);
  const std::string_view function = text.substr(0, space);
  std::string_view place = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  const auto last = take_number(place);
  const auto before = last ? take_number(place) : std::nullopt;  // line and column, or the line alone
  name.line = before.value_or(last.value_or(0));
  name.file = path_of_url(place);
  name.function = function.empty() ? kAnonymous : function;
  return name;
}

}  // namespace

std::string_view to_string(V8Tier tier) {
  switch (tier) {
    case V8Tier::None: return "";
    case V8Tier::Interpreted: return "interpreted";
    case V8Tier::Baseline: return "baseline";
    case V8Tier::Maglev: return "maglev";
    case V8Tier::Optimised: return "optimised";
  }
  return "";
}

std::optional<V8Name> split_v8_name(std::string_view name) {
  for (const std::string_view tag : kFunctionTags)
    if (name.starts_with(tag)) return split_function(name.substr(tag.size()));
  for (const std::string_view tag : kOtherTags)
    if (name.starts_with(tag) && name.size() > tag.size()) return V8Name{.function = std::string(name.substr(tag.size()))};
  return {};
}

std::string path_of_url(std::string_view url) {
  constexpr std::string_view kScheme = "file://";
  if (!url.starts_with(kScheme)) return std::string(url);
  const std::string_view path = url.substr(kScheme.size());
  return path.starts_with('/') ? without_percent(path) : std::string(url);
}

}  // namespace atys::capture::node
