// SPDX-License-Identifier: Apache-2.0
#include "reduce/function_text.h"

#include <algorithm>
#include <cctype>

namespace atys::reduce {

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

std::string_view base_name(std::string_view path) {
  path.remove_prefix(std::min(path.size(), path.rfind('/') + 1));
  return path;
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

std::string_view last_two_scopes(std::string_view name) {
  const size_t last = name.rfind("::");
  if (last == std::string_view::npos || last == 0) return name;
  const size_t before = name.rfind("::", last - 1);
  return before == std::string_view::npos ? name : name.substr(before + 2);
}

}  // namespace

std::string without_arguments(std::string_view name) {
  std::string out;
  size_t depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    const bool after_operator = out.ends_with("operator");
    if (depth == 0 && (rest.starts_with(kAnonymous) || (after_operator && rest.starts_with("()")))) {
      const size_t length = after_operator ? 2 : kAnonymous.size();
      out.append(rest.substr(0, length));
      i += length - 1;
    } else if (rest[0] == '<' && !after_operator) {
      ++depth;
    } else if (rest[0] == '>' && depth > 0) {
      if (name[i - 1] != '-') --depth;
    } else if (depth == 0) {
      if (rest[0] == '(') break;
      out.push_back(rest[0]);
    }
  }
  return depth == 0 ? out : std::string();
}

std::string package_of(std::string_view name, std::string_view file, std::string_view module) {
  if (name.find("::") != std::string_view::npos) {
    const std::string plain = without_arguments(name);
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
  const size_t package = dotted_package(name);
  // One word is a Go package, which belongs to the name; several are a path.
  const bool is_path = name.substr(0, package).find('.') != std::string_view::npos;
  return std::string(is_path ? name.substr(package + 1) : name);
}

}  // namespace atys::reduce
