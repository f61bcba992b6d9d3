// SPDX-License-Identifier: Apache-2.0
#include "reduce/form.h"

#include <gtest/gtest.h>

namespace atys::reduce {

TEST(form, is_found_by_its_name_and_by_no_other) {
  for (const Form form : kForms) EXPECT_EQ(*form_of(to_string(form)), form);
  for (const char* name : {"", "pie", "Table", "tables", "calls"}) {
    const auto found = form_of(name);
    ASSERT_FALSE(found.ok()) << name;
    for (const Form form : kForms) EXPECT_NE(found.error().hint.find(to_string(form)), std::string::npos) << to_string(form);
  }
}

}  // namespace atys::reduce
