// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/function_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "language/languages.h"
#include "language/run_mark.h"
#include "reduce/anonymous.h"
#include "reduce/function_text.h"

namespace atys::reduce::matching {

namespace {

using language::Language;

constexpr std::string_view kDigits = "0123456789";

bool has_only(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// Twice, because what one language cuts may uncover what another does, whichever is asked first: "f::h0123….llvm.7".
void cut_all(std::string& name, const std::vector<void (*)(std::string&)>& cuts) {
  for (int round = 0; round < 2; ++round)
    for (const auto cut : cuts) cut(name);
}

// Takes ":12" or ":12:3" off the end; the line is the first of them.
int64_t take_line(std::string_view& text) {
  int64_t line = 0;
  for (int i = 0; i < 2; ++i) {
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !has_only(text.substr(colon + 1), kDigits)) break;
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
    text = text.substr(0, colon);
  }
  return line <= kMostLines ? line : 0;
}

// "java.util.HashMap.put": packages in lower case, then a class.
bool is_java_name(std::string_view name) {
  if (name.empty() || std::islower(static_cast<unsigned char>(name.front())) == 0) return false;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
    if (dot + 1 < name.size() && std::isupper(static_cast<unsigned char>(name[dot + 1])) != 0)
      return name.find('.', dot + 1) != std::string_view::npos;
  return false;
}

bool is_file(std::string_view text) {
  const size_t dot = text.rfind('.');
  return !text.empty() && text.find_first_of("();") == std::string_view::npos &&
         (text.find('/') != std::string_view::npos || (dot != std::string_view::npos && dot > 0 && text.size() - dot <= 6));
}

// How long "py::" of "py::run:/srv/app.py" is; 0: there is none such.
size_t prefix_of_placed(std::string_view name) {
  static const language::Words kPrefixes = language::words_of_all(&Language::prefixes_of_placed);
  for (const std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) return prefix.size();
  return 0;
}

}  // namespace

std::string name_in_any_build(std::string_view name) {
  static const auto kMarks = language::rows_of_all(&Language::run_marks);
  static const auto kCutBuild = language::functions_of_all(&Language::cut_build);
  std::string lasting(name);
  cut_all(lasting, kCutBuild);
  for (const language::RunMark& mark : kMarks) language::cut_digits(lasting, mark);
  return lasting;
}

std::string loose_name(std::string_view name) {
  static const auto kCutVariant = language::functions_of_all(&Language::cut_variant);
  std::string loose(name);
  cut_all(loose, kCutVariant);
  // A method of Go has brackets of its own, "(*T).f"; so have names without a name.
  const bool has_scopes = loose.find("::") != std::string::npos;
  const bool has_parameters = !loose.empty() && !loose.starts_with('(') && !loose.starts_with('<') && loose.ends_with(')');
  if (!has_scopes && !has_parameters) return loose;
  std::string plain = without_arguments(loose);
  // Of "<T as Display>::fmt" and "ns::<impl From<T> for U>::from" nothing would be left that tells whose they are.
  const bool is_nobodys = plain.empty() || plain.starts_with("::") || plain.find("::::") != std::string::npos;
  return is_nobodys ? loose : plain;
}

std::string_view last_part(std::string_view name) {
  // Brackets hold dots of their own: "f(a.b)", "wrap.<locals>.g".
  const size_t end = std::min(name.find('('), name.size());
  const size_t at = name.substr(0, end == 0 ? name.size() : end).find_last_of(".#:");
  return at == std::string_view::npos || at + 1 >= name.size() ? name : name.substr(at + 1);
}

bool is_qualified(std::string_view name) { return last_part(name).size() < name.size(); }

bool says_its_package(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return name.find("(anonymous namespace)") == std::string_view::npos;
  const std::string_view head = name.substr(0, std::min(name.find_first_of("(<"), name.size()));
  const size_t slash = head.find('/');
  if (slash != std::string_view::npos && slash > 0) return head.find('.', slash) != std::string_view::npos;
  return is_java_name(head);
}

std::optional<NameAndPlace> place_in_name(std::string_view name) {
  NameAndPlace found;
  if (const size_t prefix = prefix_of_placed(name); prefix > 0) {
    const size_t colon = name.find(':', prefix);
    if (colon == std::string_view::npos) return std::nullopt;
    found = {name.substr(prefix, colon - prefix), name.substr(colon + 1), 0};
  } else if (const size_t open = name.rfind(" ("); open != std::string_view::npos && open > 0 && name.ends_with(')')) {
    found = {name.substr(0, open), name.substr(open + 2, name.size() - open - 3), 0};
  } else if (const size_t blank = name.rfind(' '); blank != std::string_view::npos && blank > 0) {
    found = {name.substr(0, blank), name.substr(blank + 1), 0};
    std::string_view rest = found.file;
    if (take_line(rest) == 0) return std::nullopt;  // "operator new", "unsigned f"
  } else {
    return std::nullopt;
  }
  found.line = take_line(found.file);
  if (!is_file(found.file)) return std::nullopt;
  return found;
}

}  // namespace atys::reduce::matching
