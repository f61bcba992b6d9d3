// SPDX-License-Identifier: Apache-2.0
#include "reduce/form.h"

namespace atys::reduce {

const char* to_string(Form form) {
  switch (form) {
    case Form::Table: return "table";
    case Form::Paths: return "paths";
    case Form::Tree: return "tree";
    case Form::Lines: return "lines";
    case Form::Brief: return "brief";
    case Form::Raw: return "raw";
  }
  return "";
}

Result<Form> form_of(std::string_view name) {
  for (const Form form : kForms)
    if (name == to_string(form)) return form;
  return fail(ErrorCode::InvalidInput, "no such form '" + std::string(name) + "'",
              "use table, paths, tree, lines, brief or raw");
}

std::vector<std::string> names_of(const std::vector<Form>& forms) {
  std::vector<std::string> names;
  for (const Form form : forms) names.emplace_back(to_string(form));
  return names;
}

}  // namespace atys::reduce
