// SPDX-License-Identifier: Apache-2.0
#include "reduce/form_top.h"

#include <gtest/gtest.h>

#include "support/profile_text.h"

namespace atys::reduce {

namespace {

std::vector<std::string> names(const Profile& profile, Form form) {
  const Result<OwnCode> own = OwnCode::compile({.own = {}, .library = {"^lib_"}});
  std::vector<std::string> result;
  for (const TopRow& row : top_in_form(profile, 0, form, *dimension_of(form, "function"), *own).rows)
    result.push_back(row.entity.name);
  return result;
}

}  // namespace

TEST(form_top, has_what_each_form_is_about) {
  using Names = std::vector<std::string>;
  const Profile profile = test::profile_from_text("main;load;lib_parse 6\nmain 4");
  EXPECT_EQ(names(profile, Form::Table), (Names{"lib_parse", "main", "load"}));
  for (const Form form : {Form::Paths, Form::Raw})
    EXPECT_EQ(names(profile, form), (Names{"main > load > lib_parse", "main"}));
  EXPECT_EQ(names(profile, Form::Tree), (Names{"main", "main > load"})) << "libraries are charged to who calls them";
  EXPECT_EQ(names(profile, Form::Brief).size(), 2u) << "load only passes on to a library, which is charged itself";
}

TEST(form_top, tables_and_briefs_are_grouped_by_what_was_said) {
  EXPECT_EQ(dimension_of(Form::Table, "thread")->kind, DimensionKind::Thread);
  EXPECT_FALSE(dimension_of(Form::Table, "nothing").ok());
  EXPECT_EQ(dimension_of(Form::Brief, "thread")->kind, DimensionKind::Thread);
  EXPECT_EQ(dimension_of(Form::Lines, "thread")->kind, DimensionKind::Line);
  EXPECT_EQ(dimension_of(Form::Tree, "nothing")->kind, DimensionKind::Function);
}

}  // namespace atys::reduce
