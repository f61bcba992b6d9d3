// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/follow_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "verbs/view/view_fields.h"

namespace atys::verbs {

namespace {

constexpr size_t kMostOfAName = 64;

bool is_plain_text(std::string_view text) { return printable(text) == text; }

// "" for names that fit; else the byte count of a head that ends with a whole character.
size_t head_of(std::string_view name, size_t most) {
  while (most > 0 && (static_cast<unsigned char>(name[most]) & 0xc0) == 0x80) --most;
  return most;
}

// What is asked, of which samples, with whose code, and how it is cut. How long an answer may be is said by who asks.
constexpr size_t kLastPlace = 4;
size_t place_of(const ViewField& field) {
  if (field.name == "max_tokens") return kLastPlace + 1;
  if (field.type == FieldType::Number) return kLastPlace;
  if (field.type == FieldType::Flag) return 3;
  if (field.group.empty()) return 0;
  return is_of_filter(field) ? 1 : 2;
}

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

std::string command_for(std::string_view verb, const std::vector<std::string>& profiles, const View& view,
                        reduce::Form usual) {
  std::string command = "atys " + std::string(verb);
  for (const std::string& profile : profiles) command += " " + quote_for_shell(profile);
  for (size_t place = 0; place <= kLastPlace; ++place) {
    for (const ViewField& field : view_fields()) {
      if (place_of(field) != place) continue;
      if (field.type == FieldType::Form) {
        if (view.form != usual) command += " " + option_name(field) + " " + to_string(view.form);
        continue;
      }
      for (const std::string& value : field.told(view))
        command += " " + option_name(field) + (field.type == FieldType::Flag ? "" : " " + quote_for_shell(value));
    }
  }
  return command;
}

const char* to_string(Question question) {
  switch (question) {
    case Question::Summary: return "summary";
    case Question::Diff: return "diff";
    case Question::Link: return "link";
  }
  return "";
}

reduce::Form usual_form(Question question) { return question == Question::Diff ? reduce::Form::Brief : reduce::Form::Table; }

std::string command_of(const FollowUp& follow_up) {
  const Question question = follow_up.question;
  std::string command = command_for(to_string(question), follow_up.profiles, follow_up.view, usual_form(question));
  if (!follow_up.behind.empty()) command += " --behind " + quote_for_shell(follow_up.behind);
  for (const reduce::PathMap& map : follow_up.maps) command += " --map " + quote_for_shell(map.from + "=" + map.to);
  return command;
}

}  // namespace atys::verbs
