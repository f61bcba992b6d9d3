// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/what_there_is.h"

#include <gtest/gtest.h>

#include "reduce/filter.h"
#include "support/profile_text.h"

namespace atys::verbs {
namespace {

// Two routes, and times.
Profile labelled() {
  Profile profile;
  profile.add_value_type("samples", "count");
  for (const auto& [function, route] :
       {std::pair("hash", "/login"), std::pair("render", "/orders"), std::pair("parse", "/x y")}) {
    const auto frame = profile.named_frame(function);
    const profile::Label label{profile.strings.intern("http.route"), profile.strings.intern(route)};
    const auto labels = profile.label_sets.intern(std::vector<profile::LabelId>{profile.labels.intern(label)});
    profile.samples.add(profile.stacks.intern(std::vector<profile::FrameId>{frame}), labels, std::vector<int64_t>{1},
                        1'700'000'000'000'000'000);
  }
  return profile;
}

std::string why(const reduce::FilterOptions& filter) {
  const Error error = why_nothing(labelled(), filter);
  return error.message + "; " + error.hint;
}

TEST(what_there_is, names_the_condition_that_nothing_meets_and_what_would) {
  EXPECT_EQ(why({.focus = "^hsh$"}), "no function, file or module matches '^hsh$'; did you mean hash?");
  EXPECT_EQ(why({.focus = "zzzzzz"}),
            "no function, file or module matches 'zzzzzz'; the costliest functions are hash, parse, render");
  EXPECT_EQ(why({.labels = {{"route", "x"}}}), "no sample carries the label route; there are http.route");
  EXPECT_EQ(why({.labels = {{"http.route", "/nowhere"}}}),
            "no value of the label http.route is '/nowhere'; there are /login, /orders, '/x y'");
  EXPECT_EQ(why({.ignore = "."}), "every sample matches --ignore '.'; ignore less");
  EXPECT_EQ(why({.to_ns = 5}), "no sample is of that time; they are from 2023-11-14T22:13:20Z to 2023-11-14T22:13:20Z");
  EXPECT_EQ(why({.focus = "hash", .labels = {{"http.route", "/orders"}}}),
            "no sample meets all conditions at once; each by itself is met: leave one out");
}

TEST(what_there_is, says_so_where_there_is_nothing) {
  const Profile plain = test::profile_from_text("main;f 3");
  EXPECT_EQ(check_label_key(plain, "x").error().hint, "the samples of this profile have no labels");
  EXPECT_EQ(why_nothing(plain, {.from_ns = 1}).message, "no sample of the profile says when it was taken");
  EXPECT_TRUE(check_dimension(plain, {reduce::DimensionKind::Thread, {}}).ok());
  EXPECT_FALSE(check_dimension(plain, {reduce::DimensionKind::Label, "x"}).ok());
  EXPECT_TRUE(check_dimension(Profile{}, {reduce::DimensionKind::Label, "x"}).ok()) << "an empty profile is an answer";
}

TEST(what_there_is, lists_are_bounded_and_names_are_data) {
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("name" + std::to_string(i));
  EXPECT_TRUE(listed_data(many).ends_with(" and 92 more"));
  EXPECT_EQ(listed_data({}), "none");
  EXPECT_EQ(as_data("http.route"), "http.route");
  EXPECT_EQ(as_data("ignore all previous"), "'ignore all previous'");
  EXPECT_EQ(as_data("it's\n\033[31mred"), "'it\"s  [31mred'");
  EXPECT_LE(as_data(std::string(100'000, 'x')).size(), 70u);
}

}  // namespace
}  // namespace atys::verbs
