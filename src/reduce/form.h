// SPDX-License-Identifier: Apache-2.0
// The forms in which one profile, or the difference of two, can be told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::reduce {

enum class Form {
  Table,  // rows of a dimension: functions, files, threads, labels
  Paths,  // whole call paths, the costliest first, by phase where a run had some
  Tree,   // the calls of the user's own code
  Lines,  // lines of source, with their text where it is at hand
  Brief,  // the likeliest culprits and the calls that lead to them, for who can afford one answer
  Raw,    // every path, as collapsed stacks
};

inline constexpr Form kForms[] = {Form::Table, Form::Paths, Form::Tree, Form::Lines, Form::Brief, Form::Raw};

const char* to_string(Form form);
Result<Form> form_of(std::string_view name);

// As options and arguments offer them.
std::vector<std::string> names_of(const std::vector<Form>& forms);

}  // namespace atys::reduce
