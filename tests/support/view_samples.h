// SPDX-License-Identifier: Apache-2.0
// A value for each field of a view that is not the one it has by itself.
#pragma once

#include <string>

#include "verbs/view/view_fields.h"

namespace atys::test {

inline std::string sample_of(const verbs::ViewField& field) {
  switch (field.type) {
    case verbs::FieldType::Form: return "tree";
    case verbs::FieldType::Text: return field.offered.empty() ? "text" : field.offered.back() + "text";
    case verbs::FieldType::Pattern: return "^a|b$";
    case verbs::FieldType::Condition: return "key=.*";
    case verbs::FieldType::Number: return std::to_string(field.least + 1);
    case verbs::FieldType::Time: return "1800000000.000000001";
    case verbs::FieldType::Flag: return "true";
  }
  return {};
}

}  // namespace atys::test
