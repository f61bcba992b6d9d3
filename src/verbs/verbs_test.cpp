// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/profile_text.h"
#include "verbs/follow_up.h"
#include "verbs/hot_paths.h"
#include "verbs/hot_tree.h"
#include "verbs/output.h"
#include "verbs/profile_info.h"
#include "verbs/summary.h"

namespace atys::verbs {

namespace {

ViewedProfile viewed(std::string_view text) { return {{test::profile_from_text(text), {}, "test"}, 0}; }

}  // namespace

TEST(view, keeps_as_many_rows_as_the_cap_on_tokens_allows) {
  const auto cost = [](size_t) { return size_t{100}; };
  Tokens tokens;
  EXPECT_EQ(rows_that_fit(50, {}, cost, tokens), kDefaultRows);
  View capped;
  capped.max_tokens = tokens_for(kEnvelopeCharacters + 300);
  EXPECT_EQ(rows_that_fit(50, capped, cost, tokens), 3u);
  EXPECT_LE(tokens.estimate, *capped.max_tokens);
  capped.top = 2;
  EXPECT_EQ(rows_that_fit(50, capped, cost, tokens), 2u);
}

TEST(profile_info, counts_whole_samples_where_weights_are_nearly_equal) {
  LoadedProfile loaded{{}, {}, "test"};
  loaded.profile.add_value_type("samples", "count");
  loaded.profile.add_value_type("cpu", "nanoseconds");
  for (int64_t i = 0; i < 326; ++i) {
    const auto frame = loaded.profile.named_frame("f" + std::to_string(i));
    loaded.profile.samples.add(loaded.profile.stacks.intern(std::vector<profile::FrameId>{frame}), {},
                               std::vector<int64_t>{1, 1'003'009 + i % 3});
  }
  EXPECT_EQ(describe(loaded, 0).samples, 326);
  EXPECT_EQ(describe(loaded, 1).samples, 326);
}

TEST(follow_up, quotes_names_so_that_they_stay_names) {
  EXPECT_EQ(quote_for_shell("cpu.pb.gz"), "cpu.pb.gz");
  EXPECT_EQ(quote_for_shell("a b"), "'a b'");
  EXPECT_EQ(quote_for_shell("it's; rm -rf $x"), R"('it'\''s; rm -rf $x')");
  EXPECT_EQ(escape_for_pattern("f(int*)"), R"(f\(int\*\))");
}

TEST(hot_paths, adds_up_equal_paths_and_puts_the_costliest_first) {
  const auto rows = hot_paths(viewed("a;b {t=1} 2\na;c 3\na;b {t=2} 4"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].path, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows[0].total, 6);
}

TEST(hot_tree, keeps_the_costliest_nodes_with_their_callers) {
  HotTree tree = hot_tree(viewed("a;b;c 10\na;d 5\ne 1"), 3);
  EXPECT_EQ(tree.nodes, 5u);
  ASSERT_EQ(tree.rows.size(), 3u);
  order_as_tree(tree.rows);
  EXPECT_EQ(tree.rows[0].entity.name, "a");
  EXPECT_EQ(tree.rows[1].entity.name, "b");
  EXPECT_EQ(tree.rows[2].entity.name, "c");
  EXPECT_EQ(tree.rows[2].depth, 2u);
}

TEST(hot_tree, folds_direct_recursion_into_one_node) {
  const HotTree tree = hot_tree(viewed("a;f;f;f;g 4"), 10);
  ASSERT_EQ(tree.rows.size(), 3u);
  EXPECT_EQ(tree.rows[1].entity.name, "f");
  EXPECT_EQ(tree.rows[1].recursion, 2u);
}

TEST(output, is_refused_before_any_work_where_no_format_fits) {
  EXPECT_EQ(choose_format({.path = "x.nosuch"}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(choose_format({.path = "x", .format = "perf-script"}).error().code, ErrorCode::Unsupported);
  EXPECT_TRUE(choose_format({.path = "x.pb.gz"}).ok());
}

TEST(profile_info, finds_a_value_column_by_name_unit_and_number) {
  const Profile profile = test::profile_from_text("a 1", "cpu", "nanoseconds");
  for (const char* value : {"", "cpu", "cpu/nanoseconds", "0"}) EXPECT_EQ(*find_value_column(profile, value), 0u);
  EXPECT_EQ(find_value_column(profile, "heap").error().code, ErrorCode::NotFound);
  EXPECT_FALSE(find_value_column(Profile{}, "").ok());
}

}  // namespace atys::verbs
