// SPDX-License-Identifier: Apache-2.0
#include "reduce/hot_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/profile_text.h"

namespace atys::reduce {

namespace {

CodeOrigins origins(const Profile& profile, const OwnCodeRules& rules = {}) {
  return {profile, 0, *OwnCode::compile(rules)};
}

std::vector<std::string> names(const std::vector<TreeNode>& rows) {
  std::vector<std::string> result;
  for (const TreeNode& row : rows) result.push_back(row.entity.name);
  return result;
}

}  // namespace

TEST(hot_tree, keeps_the_costliest_nodes_with_their_callers) {
  const Profile profile = test::profile_from_text("a;b;c 10\na;d 5\ne 1");
  const HotTree tree = hot_tree(profile, 0, origins(profile), 3);
  EXPECT_EQ(tree.nodes, 5u);
  EXPECT_EQ(names(tree.rows), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(tree.rows[2].depth, 2u);
}

TEST(hot_tree, folds_recursion_into_one_node_also_through_others) {
  const Profile profile = test::profile_from_text("a;f;f;f;g 4\na;f;h;f;h;g 2");
  const HotTree tree = hot_tree(profile, 0, origins(profile), 10);
  EXPECT_EQ(names(tree.rows), (std::vector<std::string>{"a", "f", "g", "h", "g"}));
  EXPECT_EQ(tree.rows[1].recursion, 2u);
  EXPECT_EQ(tree.rows[1].total, 6);
  EXPECT_EQ(tree.rows[3].total, 2);
}

TEST(hot_tree, shows_own_code_and_charges_the_rest_to_it) {
  const Profile profile = test::profile_from_text("a;lib;b;lib 10\na;lib 5\nlib 1");
  const HotTree tree = hot_tree(profile, 0, origins(profile, {.own = {}, .library = {"^lib$"}}), 10);
  EXPECT_EQ(names(tree.rows), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tree.rows[0].self, 5);
  EXPECT_EQ(tree.rows[1].self, 10);
}

}  // namespace atys::reduce
