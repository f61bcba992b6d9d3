// SPDX-License-Identifier: Apache-2.0
#include "verbs/follow_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace atys::verbs {

namespace {

constexpr size_t kMostOfAName = 64;

bool is_plain_text(std::string_view text) { return printable(text) == text; }

// "" for names that fit; else the byte count of a head that ends with a whole character.
size_t head_of(std::string_view name, size_t most) {
  while (most > 0 && (static_cast<unsigned char>(name[most]) & 0xc0) == 0x80) --most;
  return most;
}

// Seconds with as many decimals as they need: what --from and --until read.
std::string unix_seconds(int64_t ns) { return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000); }

}  // namespace

std::string quote_for_shell(std::string_view text) {
  const std::string shown = printable(text);
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:@%+=,").find(c) != std::string_view::npos;
  };
  if (!shown.empty() && std::ranges::all_of(shown, is_plain)) return shown;
  std::string quoted = "'";
  for (const char c : shown) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string escape_for_pattern(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    const std::string_view character = text.substr(0, std::max<size_t>(next.length, 1));
    if (!is_plain_text(character)) {
      for (const char byte : character) escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      if (std::string_view(R"(\^$.|?*+()[]{})").find(character) != std::string_view::npos) escaped += '\\';
      escaped += character;
    }
    text.remove_prefix(character.size());
  }
  return escaped;
}

std::string pattern_of_function(std::string_view name) {
  if (name.size() <= kMostOfAName) return "^" + escape_for_pattern(name) + "$";
  const size_t head = head_of(name, kMostOfAName / 2);
  const size_t tail = head_of(name, name.size() - kMostOfAName / 2);
  return "(?s)^" + escape_for_pattern(name.substr(0, head)) + ".*" + escape_for_pattern(name.substr(tail)) + "$";
}

std::string command_for(std::string_view verb, const std::vector<std::string>& profiles, const View& view) {
  std::string command = "atys " + std::string(verb);
  const auto add = [&](std::string_view option, std::string_view value) {
    command += " " + std::string(option) + " " + quote_for_shell(value);
  };
  for (const std::string& profile : profiles) command += " " + quote_for_shell(profile);
  if (view.form != "table") add("--form", view.form);
  if (view.by != "function") add("--by", view.by);
  if (!view.value.empty()) add("--value", view.value);
  if (!view.filter.focus.empty()) add("--focus", view.filter.focus);
  if (!view.filter.ignore.empty()) add("--ignore", view.filter.ignore);
  for (const auto& label : view.filter.labels) add("--label", label.key + "=" + label.pattern);
  if (view.filter.from_ns) add("--from", unix_seconds(*view.filter.from_ns));
  if (view.filter.to_ns) add("--until", unix_seconds(*view.filter.to_ns));
  for (const std::string& pattern : view.own_code.own) add("--own", pattern);
  for (const std::string& pattern : view.own_code.library) add("--library", pattern);
  if (view.full_names) command += " --full-names";
  if (view.top) command += fmt::format(" --top {}", *view.top);
  return command;
}

}  // namespace atys::verbs
