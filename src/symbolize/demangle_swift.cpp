// SPDX-License-Identifier: Apache-2.0
#include "symbolize/demangle_swift.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace atys::symbolize {

namespace {

constexpr size_t kMostWords = 26;
constexpr size_t kMostParts = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

const char* standard_type(char letter) {
  static constexpr std::array<std::pair<char, const char*>, 18> kTypes = {{
      {'a', "Array"},
      {'b', "Bool"},
      {'D', "Dictionary"},
      {'d', "Double"},
      {'f', "Float"},
      {'h', "Set"},
      {'i', "Int"},
      {'J', "Character"},
      {'q', "Optional"},
      {'S', "String"},
      {'s', "Substring"},
      {'u', "UInt"},
      {'P', "UnsafePointer"},
      {'p', "UnsafeMutablePointer"},
      {'R', "UnsafeBufferPointer"},
      {'r', "UnsafeMutableBufferPointer"},
      {'V', "UnsafeRawPointer"},
      {'v', "UnsafeMutableRawPointer"},
  }};
  for (const auto& [known, name] : kTypes)
    if (known == letter) return name;
  return nullptr;
}

// What the end of a mangled name says that it is.
struct Ending {
  const char* code;
  enum Kind { Function, Accessor, Initialiser, Bare, Closure } kind;
  const char* text;
};
constexpr std::array<Ending, 12> kEndings = {{
    {"fU", Ending::Closure, ""},
    {"vg", Ending::Accessor, ".getter"},
    {"vs", Ending::Accessor, ".setter"},
    {"vM", Ending::Accessor, ".modify"},
    {"vr", Ending::Accessor, ".read"},
    {"vw", Ending::Accessor, ".willset"},
    {"vW", Ending::Accessor, ".didset"},
    {"fC", Ending::Initialiser, ".init"},
    {"fc", Ending::Initialiser, ".init"},
    {"fD", Ending::Bare, ".deinit"},
    {"fd", Ending::Bare, ".deinit"},
    {"F", Ending::Function, ""},
}};

// Reads identifiers from the left. The signature is not taken apart: the ending tells what the name is of.
class SwiftName {
 public:
  explicit SwiftName(std::string_view rest) : rest_(rest) {}

  std::string text() {
    const Ending* ending = take_ending();
    if (ending == nullptr || !take_context()) return {};
    if (ending->kind == Ending::Bare) return rest_.empty() ? context_ + ending->text : std::string();
    if (ending->kind == Ending::Initialiser) return context_ + ending->text + arguments();
    const auto name = take_declared_name();
    if (!name) return {};
    context_ += "." + *name;
    if (ending->kind == Ending::Accessor) return context_ + ending->text;
    if (ending->kind == Ending::Function) return context_ + arguments();
    // The function that a closure is in ends somewhere before the closure's own signature.
    const size_t end = rest_.find('F');
    if (end == std::string_view::npos) return {};
    rest_ = rest_.substr(0, end);
    return "closure " + number_ + "in " + context_ + arguments();
  }

 private:
  // "U_" ends the first closure of a function, "U0_" the second.
  void take_number_of_closure() {
    if (!rest_.ends_with('_')) return;
    size_t begin = rest_.size() - 1;
    while (begin > 0 && is_digit(rest_[begin - 1])) --begin;
    const std::string digits(rest_.substr(begin, rest_.size() - 1 - begin));
    constexpr size_t kMostDigits = 6;
    if (!rest_.substr(0, begin).ends_with("fU") || digits.size() > kMostDigits) return;
    if (!digits.empty()) number_ = "#" + std::to_string(std::stoi(digits) + 2) + " ";
    rest_ = rest_.substr(0, begin);
  }

  const Ending* take_ending() {
    if (rest_.ends_with('Z')) rest_.remove_suffix(1);  // static
    take_number_of_closure();
    for (const Ending& ending : kEndings) {
      if (!rest_.ends_with(ending.code)) continue;
      rest_.remove_suffix(std::strlen(ending.code));
      return &ending;
    }
    return nullptr;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::optional<size_t> take_number() {
    size_t number = 0;
    if (rest_.empty() || !is_digit(rest_[0]) || rest_[0] == '0') return {};
    while (!rest_.empty() && is_digit(rest_[0])) {
      number = number * 10 + static_cast<size_t>(rest_[0] - '0');
      if (number > rest_.size()) return {};
      rest_.remove_prefix(1);
    }
    return number;
  }

  // Words of identifiers are not written twice: later ones refer to them.
  void remember_words(std::string_view text) {
    size_t start = std::string_view::npos;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : '_';
      const bool is_end = c == '_' || (i > 0 && !is_upper(text[i - 1]) && is_upper(c));
      if (start != std::string_view::npos && is_end) {
        if (i - start >= 2 && words_.size() < kMostWords) words_.emplace_back(text.substr(start, i - start));
        start = std::string_view::npos;
      }
      if (start == std::string_view::npos && c != '_' && !is_digit(c)) start = i;
    }
  }

  bool take_plain_part(std::string& identifier) {
    const auto length = take_number();
    if (!length || *length > rest_.size()) return false;
    const std::string_view part = rest_.substr(0, *length);
    rest_.remove_prefix(*length);
    remember_words(part);
    identifier += part;
    return true;
  }

  std::optional<std::string> take_identifier() {
    std::string identifier;
    if (rest_.starts_with("00") || rest_.empty() || !is_digit(rest_[0])) return {};  // 00: Punycode
    if (!take("0")) return take_plain_part(identifier) ? std::optional(identifier) : std::nullopt;
    for (bool has_words = true; has_words;) {
      while (has_words && !rest_.empty() && (is_lower(rest_[0]) || is_upper(rest_[0]))) {
        has_words = is_lower(rest_[0]);
        const auto word = static_cast<size_t>(rest_[0] - (has_words ? 'a' : 'A'));
        if (word >= words_.size()) return {};
        identifier += words_[word];
        rest_.remove_prefix(1);
      }
      if (take("0")) break;
      if (!take_plain_part(identifier)) return {};
    }
    return identifier;
  }

  // An identifier, with the file that it is private to, which is left out.
  std::optional<std::string> take_declared_name() {
    auto name = take_identifier();
    const std::string_view before = rest_;
    if (name && rest_.starts_with("33_") && (!take_identifier() || !take("LL"))) rest_ = before;
    return name;
  }

  bool take_module() {
    if (rest_.size() >= 2 && rest_[0] == 'S' && rest_[1] != 'o') {
      const char* type = standard_type(rest_[1]);
      if (type == nullptr) return false;
      context_ = std::string("Swift.") + type;
      rest_.remove_prefix(2);
      return true;
    }
    if (take("So")) {
      context_ = "__C";
    } else if (take("s")) {
      context_ = "Swift";
    } else if (auto module = take_identifier()) {
      context_ = *module;
    } else {
      return false;
    }
    return true;
  }

  // The module and the types around the declaration.
  bool take_context() {
    if (!take_module()) return false;
    for (size_t i = 0; i < kMostParts; ++i) {
      const SwiftName before = *this;
      if (take("AAE")) continue;  // an extension in the module itself
      const auto name = take_declared_name();
      if (name && take("E")) continue;  // an extension in another module
      if (!name || rest_.empty() || std::strchr("CVOP", rest_[0]) == nullptr) {
        *this = before;
        break;
      }
      rest_.remove_prefix(1);
      context_ += "." + *name;
    }
    return true;
  }

  std::string arguments() {
    std::string labels;
    for (size_t i = 0; i < kMostParts; ++i) {
      if (take("_")) {
        labels += "_:";
      } else if (auto label = take_identifier()) {
        labels += *label + ":";
      } else {
        break;
      }
    }
    if (!labels.empty()) return "(" + labels + ")";
    while (rest_.ends_with('K') || rest_.ends_with('c')) rest_.remove_suffix(1);  // throws; a function's type
    if (rest_.ends_with("Ya")) rest_.remove_suffix(2);                            // async
    if (rest_.ends_with('y')) return "()";
    // None has a label; how many there are is not read.
    return rest_.ends_with('t') ? "(...)" : "(_:)";
  }

  std::string_view rest_;
  std::string number_;  // of a closure that is not the first
  std::string context_;
  std::vector<std::string> words_;
};

}  // namespace

std::string demangle_swift(std::string_view name) {
  for (const std::string_view prefix : {"$s", "_$s", "$S", "_$S", "_T0"})
    if (name.starts_with(prefix)) return SwiftName(name.substr(prefix.size())).text();
  return {};
}

}  // namespace atys::symbolize
