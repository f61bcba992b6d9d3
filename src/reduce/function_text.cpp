// SPDX-License-Identifier: Apache-2.0
#include "reduce/function_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/path_names.h"
#include "language/languages.h"

namespace atys::reduce {

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

// Past the bracket that closes the one at `open`; the end if none does.
size_t past_group(std::string_view name, size_t open, char left, char right) {
  size_t depth = 0;
  for (size_t i = open; i < name.size(); ++i) {
    if (name[i] == left) ++depth;
    if (name[i] == right && --depth == 0) return i + 1;
  }
  return name.size();
}

// Past the parameters of a function that something is declared in, "(int) const" of "f(int) const::{lambda}:7"; 0: nothing
// is.
size_t past_parameters_of_scope(std::string_view name, size_t open) {
  size_t past = past_group(name, open, '(', ')');
  for (const std::string_view qualifier : {" const", " volatile", " &&", " &"})
    if (name.substr(past).starts_with(qualifier)) past += qualifier.size();
  return name.substr(past).starts_with("::") ? past : 0;
}

// "void ns::f" → "ns::f"; "operator new" has a space of its own.
std::string_view without_return_type(std::string_view name) {
  const size_t limit = std::min(name.find("operator"), name.find(kAnonymous));
  const size_t space = name.rfind(' ', limit);
  return space == std::string_view::npos || space + 1 >= name.size() ? name : name.substr(space + 1);
}

// Where the last path component begins: "github.com/a/b.(*T).f" → at "b".
size_t last_component(std::string_view name) {
  const size_t slash = name.substr(0, std::min(name.find_first_of("(<[{ "), name.size())).rfind('/');
  return slash == std::string_view::npos ? 0 : slash + 1;
}

bool begins_with(std::string_view name, int (*is_of_class)(int)) {
  return !name.empty() && is_of_class(static_cast<unsigned char>(name.front())) != 0;
}

// How many bytes of "java.util.HashMap.put" are its package: the lower-case words before a class. Of "main.run.func1" it is
// the first word; 0: there is none.
size_t dotted_package(std::string_view name) {
  const size_t first_dot = std::min(name.find('.'), name.size());
  if (first_dot == 0 || first_dot == name.size()) return 0;
  for (size_t dot = first_dot; dot < name.size(); dot = std::min(name.find('.', dot + 1), name.size())) {
    if (begins_with(name.substr(dot + 1), std::isupper)) return dot;
    if (!begins_with(name.substr(dot + 1), std::islower)) break;
  }
  return first_dot;
}

// Where the parameters of "void a.B.run(java.util.List)" begin, or the name ends; "(*T)" of Go is none.
size_t parameters_of_method(std::string_view name) {
  for (size_t open = name.find('('); open != std::string_view::npos; open = name.find('(', open + 1)) {
    const char before = open == 0 ? '.' : name[open - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '$' || before == '>')
      return open;
  }
  return name.size();
}

// "void a.B.run(c.D)" → "a.B.run(c.D)"
std::string_view without_type_of_method(std::string_view name) {
  const std::string_view head = name.substr(0, parameters_of_method(name));
  const size_t space = head.rfind(' ');
  const bool is_method =
      head.size() < name.size() && space != std::string_view::npos && head.find('.', space) != std::string_view::npos;
  return is_method ? name.substr(space + 1) : name;
}

// The last scope and the name; more where a scope is not a name by itself: "run::{lambda}:23::{lambda}:24".
std::string_view last_two_scopes(std::string_view name) {
  size_t begin = name.rfind("::");
  if (begin == std::string_view::npos || begin == 0) return name;
  do {
    begin = name.rfind("::", begin - 1);
    if (begin == std::string_view::npos) return name;
  } while (begin > 0 && name.substr(begin + 2).starts_with('{'));
  return name.substr(begin + 2);
}

}  // namespace

std::string without_arguments(std::string_view name, bool stops_at_function) {
  std::string out;
  size_t depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    const bool after_operator = out.ends_with("operator");
    if (depth == 0 && (rest.starts_with(kAnonymous) || (after_operator && rest.starts_with("()")))) {
      const size_t length = after_operator ? 2 : kAnonymous.size();
      out.append(rest.substr(0, length));
      i += length - 1;
    } else if (depth == 0 && rest[0] == '{') {
      const size_t past = past_group(name, i, '{', '}');
      out.append(name.substr(i, past - i));
      i = past - 1;
    } else if (rest[0] == '<' && !after_operator) {
      ++depth;
    } else if (rest[0] == '>' && depth > 0) {
      if (name[i - 1] != '-') --depth;
    } else if (depth == 0 && rest[0] == '(') {
      const size_t past = stops_at_function ? 0 : past_parameters_of_scope(name, i);
      if (past == 0) break;
      i = past - 1;
    } else if (depth == 0) {
      out.push_back(rest[0]);
    }
  }
  return depth == 0 ? out : std::string();
}

std::string package_of(std::string_view name, std::string_view file, std::string_view module) {
  if (name.find("::") != std::string_view::npos) {
    const std::string plain = without_arguments(name, true);
    const std::string_view scoped = without_return_type(plain);
    const size_t end = scoped.find("::");
    if (end != std::string_view::npos && end > 0 && !scoped.starts_with('(')) return std::string(scoped.substr(0, end));
  } else {
    const size_t component = last_component(name);
    const std::string_view head = name.substr(0, std::min(name.find_first_of("(<[{ ", component), name.size()));
    const size_t dot = component > 0 ? head.find('.', component) : dotted_package(head);
    if (dot != std::string_view::npos && dot > 0) return std::string(head.substr(0, dot));
  }
  return std::string(base_name(module.empty() ? file : module));
}

std::string short_name(std::string_view name) {
  if (name.find("::") != std::string_view::npos) {
    const std::string plain = without_arguments(name);
    const std::string_view scoped = last_two_scopes(without_return_type(plain));
    return std::string(scoped.empty() ? name : scoped);
  }
  if (const size_t component = last_component(name); component < name.size()) name.remove_prefix(component);
  name = without_type_of_method(name);
  const size_t package = dotted_package(name.substr(0, parameters_of_method(name)));
  // One word is a Go package, which belongs to the name; several are a path.
  const bool is_path = name.substr(0, package).find('.') != std::string_view::npos;
  return std::string(is_path ? name.substr(package + 1) : name);
}

std::string stable_name(std::string_view name) {
  static const auto kOfLanguages = language::functions_of_all(&language::Language::stable_name);
  std::string stable(name);
  for (const auto of_language : kOfLanguages) stable = of_language(stable);
  return stable;
}

}  // namespace atys::reduce
