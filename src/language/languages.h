// SPDX-License-Identifier: Apache-2.0
// All languages, and what is asked of all of them at once. No answer depends on the order in which they are listed.
#pragma once

#include <string_view>
#include <vector>

#include "language/language.h"

namespace atys::language {

// Those of ATYS_LANGUAGES in src/language/CMakeLists.txt.
const std::vector<const Language*>& all_languages();

// Those words of every language: sorted, each once.
Words words_of_all(Words Language::*words);

// Null: nobody's.
const Language* language_of_file(std::string_view path);
bool is_source_name(std::string_view path);

struct KnownKind {
  const Language* language = nullptr;
  const FrameKind* facts = nullptr;
};
// Null: a kind that nobody knows.
const KnownKind* find_frame_kind(std::string_view kind);
std::vector<KnownKind> all_frame_kinds();  // by name

struct KnownInterpreter {
  const Language* language = nullptr;
  const Interpreter* facts = nullptr;
};
// By the base name of a program; "python3.11" is python. Null: it is none.
const KnownInterpreter* find_interpreter(std::string_view program);
std::vector<KnownInterpreter> all_interpreters();

// All functions of this kind that languages have: `functions_of_all(&Language::stable_name)`.
template <typename Function>
std::vector<Function> functions_of_all(Function Language::*function) {
  std::vector<Function> functions;
  for (const Language* language : all_languages())
    if (language->*function != nullptr) functions.push_back(language->*function);
  return functions;
}

// The same of lists of structs: `rows_of_all(&Language::run_by)`.
template <typename Row>
std::vector<Row> rows_of_all(std::vector<Row> Language::*rows) {
  std::vector<Row> all;
  for (const Language* language : all_languages()) all.insert(all.end(), (language->*rows).begin(), (language->*rows).end());
  return all;
}

}  // namespace atys::language
