// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/profile_reference.h"

#include <gtest/gtest.h>

namespace atys::verbs {

namespace {

using Parts = std::vector<std::string>;

TEST(profile_references, are_parted_by_commas_but_for_those_in_the_braces_of_a_service) {
  EXPECT_EQ(split_at_commas("a.pb,b.pb"), (Parts{"a.pb", "b.pb"}));
  EXPECT_EQ(split_at_commas(",a,,b,"), (Parts{"a", "b"}));
  EXPECT_EQ(split_at_commas(""), Parts());
  EXPECT_EQ(split_at_commas("service:shop{version=1,node=a}@-1h..,x"), (Parts{"service:shop{version=1,node=a}@-1h..", "x"}));
  EXPECT_EQ(split_at_commas("service:a,service:b{k=1,l=2}"), (Parts{"service:a", "service:b{k=1,l=2}"}));
  EXPECT_EQ(split_at_commas(R"(service:a{k="}\",",l=2},b)"), (Parts{R"(service:a{k="}\",",l=2})", "b"}));
  EXPECT_EQ(split_at_commas("service:a{k=1,l=2"), Parts{"service:a{k=1,l=2"});
  EXPECT_EQ(split_at_commas("a{k=1,l=2}"), (Parts{"a{k=1", "l=2}"}));
}

TEST(profile_references, of_a_fleet_are_told_by_how_they_begin) {
  EXPECT_TRUE(is_of_fleet("service:shop"));
  EXPECT_FALSE(is_of_fleet("./service:shop"));
}

}  // namespace

}  // namespace atys::verbs
