// SPDX-License-Identifier: Apache-2.0
#include "language/languages.h"

#include <algorithm>
#include <map>

namespace atys::language {

namespace {

template <typename Known>
using ByWord = std::map<std::string_view, Known>;

ByWord<const Language*> extensions() {
  ByWord<const Language*> known;
  for (const Language* language : all_languages())
    for (const std::string_view extension : language->source_extensions) known.emplace(extension, language);
  return known;
}

ByWord<KnownKind> frame_kinds() {
  ByWord<KnownKind> known;
  for (const Language* language : all_languages())
    for (const FrameKind& kind : language->frame_kinds) known.emplace(kind.name, KnownKind{language, &kind});
  return known;
}

ByWord<KnownInterpreter> interpreters() {
  ByWord<KnownInterpreter> known;
  for (const auto& [language, interpreter] : all_interpreters())
    for (const std::string_view name : interpreter->names) known.emplace(name, KnownInterpreter{language, interpreter});
  return known;
}

template <typename Known>
const Known* find(const ByWord<Known>& known, std::string_view word) {
  const auto found = known.find(word);
  return found == known.end() ? nullptr : &found->second;
}

}  // namespace

Words words_of_all(Words Language::*words) {
  Words all = rows_of_all(words);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const Language* language_of_file(std::string_view path) {
  static const auto kKnown = extensions();
  const size_t dot = path.rfind('.');
  const auto* found = dot == std::string_view::npos ? nullptr : find(kKnown, path.substr(dot));
  return found == nullptr ? nullptr : *found;
}

bool is_source_name(std::string_view path) { return language_of_file(path) != nullptr; }

const KnownKind* find_frame_kind(std::string_view kind) {
  static const auto kKnown = frame_kinds();
  return find(kKnown, kind);
}

std::vector<KnownKind> all_frame_kinds() {
  std::vector<KnownKind> kinds;
  for (const auto& [name, known] : frame_kinds()) kinds.push_back(known);
  return kinds;
}

const KnownInterpreter* find_interpreter(std::string_view program) {
  static const auto kKnown = interpreters();
  const size_t end = program.find_last_not_of("0123456789.");
  return end == std::string_view::npos ? nullptr : find(kKnown, program.substr(0, end + 1));
}

std::vector<KnownInterpreter> all_interpreters() {
  std::vector<KnownInterpreter> all;
  for (const Language* language : all_languages())
    for (const Interpreter& interpreter : language->interpreters) all.push_back({language, &interpreter});
  return all;
}

}  // namespace atys::language
