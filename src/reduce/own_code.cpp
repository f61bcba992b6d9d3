// SPDX-License-Identifier: Apache-2.0
#include "reduce/own_code.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/path_names.h"
#include "language/languages.h"
#include "reduce/function_text.h"

namespace atys::reduce {

namespace {

using language::Language;
using language::Words;
using SomeWords = std::span<const std::string_view>;

bool contains_any(std::string_view text, SomeWords fragments) {
  return std::ranges::any_of(fragments, [&](auto fragment) { return text.find(fragment) != std::string_view::npos; });
}

bool starts_with_any(std::string_view text, SomeWords prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); });
}

bool ends_with_any(std::string_view text, SomeWords suffixes) {
  return std::ranges::any_of(suffixes, [&](auto suffix) { return text.ends_with(suffix); });
}

// A shell is a program like others.
Words names_of_interpreters() {
  Words names;
  for (const auto& [language, interpreter] : language::all_interpreters())
    if (!interpreter->is_shell) names.insert(names.end(), interpreter->names.begin(), interpreter->names.end());
  return names;
}

std::vector<const Language*> languages_with_packages() {
  std::vector<const Language*> languages;
  for (const Language* one : language::all_languages())
    if (!one->runtime_packages.empty() || !one->library_packages.empty()) languages.push_back(one);
  return languages;
}

// What all languages say, put together once. Folders of libraries are asked first: most lie inside a folder of the runtime
// or of the user.
struct Known {
  Words library_folders = language::words_of_all(&Language::library_folders);
  Words runtime_folders = language::words_of_all(&Language::runtime_folders);
  Words runtime_paths = language::words_of_all(&Language::runtime_paths);
  Words made_files = language::words_of_all(&Language::made_files);
  Words runtime_modules = language::words_of_all(&Language::runtime_modules);
  Words module_endings = language::words_of_all(&Language::runtime_module_endings);
  Words interpreters = names_of_interpreters();
  Words runtime_names = language::words_of_all(&Language::runtime_names);
  Words runtime_scopes = language::words_of_all(&Language::runtime_scopes);
  std::vector<bool (*)(std::string_view)> are_library_paths = language::functions_of_all(&Language::is_library_path);
  std::vector<bool (*)(std::string_view, std::string_view)> are_runtime_functions =
      language::functions_of_all(&Language::is_runtime_function);
  std::vector<const Language*> with_packages = languages_with_packages();
};

const Known& known() {
  static const Known kKnown;
  return kKnown;
}

// Of no language: where a system's packages lie.
constexpr std::string_view kSystemFolders[] = {"/usr/lib/",   "/usr/lib64/",   "/lib/",          "/lib64/",
                                               "/usr/share/", "/usr/include/", "/usr/bin/",      "/usr/sbin/",
                                               "/bin/",       "/sbin/",        "/usr/local/lib/"};

bool is_interpreter(std::string_view module) {
  const std::string_view name = base_name(module);
  // "python3.11" but not "pythonic".
  return std::ranges::any_of(known().interpreters, [&](std::string_view word) {
    return name.starts_with(word) && name.find_first_not_of("0123456789.-_m", word.size()) == std::string_view::npos;
  });
}

std::optional<Origin> by_module(std::string_view module) {
  if (module.empty()) return std::nullopt;
  if (starts_with_any(base_name(module), known().runtime_modules) || is_interpreter(module) ||
      ends_with_any(module, known().module_endings))
    return Origin::Runtime;
  if (contains_any(module, known().library_folders)) return Origin::Library;
  if (contains_any(module, known().runtime_folders)) return Origin::Runtime;  // modules of Python's own library, say
  if (starts_with_any(module, kSystemFolders)) return Origin::Library;
  return std::nullopt;
}

std::optional<Origin> by_path(std::string_view path) {
  if (contains_any(path, known().library_folders)) return Origin::Library;
  if (contains_any(path, known().runtime_folders) || starts_with_any(path, known().runtime_paths)) return Origin::Runtime;
  if (std::ranges::any_of(known().are_library_paths, [&](const auto is_one) { return is_one(path); }))
    return Origin::Library;
  if (starts_with_any(path, kSystemFolders)) return Origin::Library;
  return std::nullopt;
}

// By what the languages say that the function may be of: all, where nothing says which it is.
std::optional<Origin> by_package(const Entity& entity) {
  const auto* kind = language::find_frame_kind(entity.kind);
  const Language* of_kind = kind == nullptr ? nullptr : kind->language;
  const Language* of_file = language::language_of_file(entity.file);
  bool is_library = false;
  for (const Language* one : known().with_packages) {
    if (!entity.file.empty() && one != of_file && one != of_kind) continue;
    const std::string name = one->as_in_packages == nullptr ? entity.name : one->as_in_packages(entity.name);
    if (starts_with_any(name, one->runtime_packages)) return Origin::Runtime;
    is_library = is_library || starts_with_any(name, one->library_packages);
  }
  return is_library ? std::optional(Origin::Library) : std::nullopt;
}

bool is_runtime_scope(std::string_view scope) { return std::ranges::binary_search(known().runtime_scopes, scope); }

// Of languages whose compilers put their own library's templates into the program itself.
bool is_of_runtime_scope(std::string_view name) {
  if (name.find("::") == std::string_view::npos) return false;
  if (name.starts_with('<')) name.remove_prefix(1);  // Rust: "<core::iter::Map<…> as Iterator>::next"
  return is_runtime_scope(name.substr(0, name.find("::"))) || is_runtime_scope(package_of(name, {}, {}));
}

// The module of a function without a name: "perl" of "[perl+0x45a10]" and of perf's "[perl]" for code of perl; empty: it
// is none.
std::string_view module_of_nameless(const Entity& entity) {
  std::string_view name = entity.name;
  if (!name.starts_with('[') || !name.ends_with(']')) return {};
  name = name.substr(1, name.size() - 2);
  if (const size_t offset = name.rfind("+0x"); offset != std::string_view::npos) return name.substr(0, offset);
  return name == base_name(entity.module) ? name : std::string_view();
}

// "[garbage collection]", "[vdso]", "[stack not received]": what a profiler says where there is no function.
bool is_remark(const Entity& entity) {
  return entity.name.starts_with('[') && entity.name.ends_with(']') && module_of_nameless(entity).empty();
}

bool is_runtime_function(const Entity& entity) {
  return starts_with_any(entity.name, known().runtime_names) ||
         std::ranges::any_of(known().are_runtime_functions,
                             [&](const auto is_one) { return is_one(entity.name, entity.file); });
}

std::optional<Origin> by_name(const Entity& entity) {
  if (is_remark(entity) || is_runtime_function(entity)) return Origin::Runtime;
  // Where modules were lost on the way, names still tell them.
  if (const std::string_view module = module_of_nameless(entity); !module.empty()) return by_module(module);
  if (const auto origin = by_package(entity)) return origin;
  if (is_of_runtime_scope(entity.name)) return Origin::Runtime;
  // Some tools write the place into the name: "dumps (/usr/lib/python3.11/json/__init__.py:183)".
  if (entity.file.empty()) return by_path(entity.name);
  return std::nullopt;
}

bool any_matches(const Entity& entity, const std::vector<Pattern>& patterns) {
  return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
    return pattern.matches(entity.name) || pattern.matches(entity.file) || pattern.matches(entity.module) ||
           (!entity.build_id.empty() && pattern.matches(entity.build_id));
  });
}

// What is built in: without the user's word.
Origin by_itself(const Entity& entity) {
  if (const auto* kind = language::find_frame_kind(entity.kind)) {
    if (kind->facts->is_runtime) return Origin::Runtime;
    if (kind->facts->lies_in_modules && entity.file.empty() && entity.module.empty()) return Origin::Runtime;
  }
  if (std::ranges::binary_search(known().made_files, entity.file)) return Origin::Runtime;
  // A script is where its file is, whichever program runs it; other code is where its module is.
  const Language* language = language::language_of_file(entity.file);
  if (language == nullptr || !language->is_placed_by_file) {
    if (const auto origin = by_module(entity.module)) return *origin;
  }
  if (!entity.file.empty()) {
    if (const auto origin = by_path(entity.file)) return *origin;
  }
  return by_name(entity).value_or(Origin::Own);
}

// Of one function in two places. A runtime's is known by something; what is the user's may only not be known.
Origin of_both(Origin a, Origin b) {
  if (a == b) return a;
  const bool one_is_library = a == Origin::Library || b == Origin::Library;
  return one_is_library ? std::min(a, b) : Origin::Runtime;
}

Result<std::vector<Pattern>> compile_all(const std::vector<std::string>& expressions) {
  std::vector<Pattern> patterns;
  for (const std::string& expression : expressions) patterns.push_back(TRY(Pattern::compile(expression)));
  return patterns;
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::Own: return "own";
    case Origin::Library: return "library";
    case Origin::Runtime: return "runtime";
  }
  return "own";
}

Result<OwnCodeRules> parse_own_code_rules(std::string_view text) {
  OwnCodeRules rules;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    const size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view expression = line.substr(std::min(line.find_first_not_of(" \t", space), line.size()));
    const bool is_own = line.substr(0, space) == "own";
    if ((!is_own && line.substr(0, space) != "library") || expression.empty()) {
      return fail(ErrorCode::InvalidInput, "line " + std::to_string(number) + " is no rule", "write own RE or library RE");
    }
    (is_own ? rules.own : rules.library).emplace_back(expression);
  }
  return rules;
}

Result<OwnCode> OwnCode::compile(const OwnCodeRules& rules) {
  OwnCode code;
  code.own_ = TRY(compile_all(rules.own));
  code.library_ = TRY(compile_all(rules.library));
  return code;
}

void OwnCode::add_other_place(std::string_view name, std::string_view file, Entity other) {
  other_places_.try_emplace({std::string(name), std::string(file)}, std::move(other));
}

bool OwnCode::matches(const Entity& entity, const Entity* other, const std::vector<Pattern>& patterns) const {
  return any_matches(entity, patterns) || (other != nullptr && any_matches(*other, patterns));
}

Origin OwnCode::of(const Entity& entity) const {
  const auto found = other_places_.empty() ? other_places_.end() : other_places_.find({entity.name, entity.file});
  const Entity* const other = found == other_places_.end() ? nullptr : &found->second;
  if (matches(entity, other, own_)) return Origin::Own;
  if (matches(entity, other, library_)) return Origin::Library;
  const Origin origin = by_itself(entity);
  return other == nullptr ? origin : of_both(origin, by_itself(*other));
}

}  // namespace atys::reduce
