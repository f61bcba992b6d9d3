// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "reduce/diff.h"
#include "reduce/distance.h"
#include "reduce/filter.h"
#include "reduce/merge.h"
#include "reduce/prune.h"
#include "reduce/top.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::reduce {

using profile::equivalent;
using test::profile_from_text;
using test::to_text;

namespace {

std::string rows_text(const Top& top) {
  std::string text;
  for (const TopRow& row : top.rows) {
    text += row.entity.name + " " + std::to_string(static_cast<long>(row.self)) + " " +
            std::to_string(static_cast<long>(row.total)) + "\n";
  }
  return text;
}

}  // namespace

TEST(top, gives_self_and_total_per_function) {
  EXPECT_EQ(rows_text(top(profile_from_text("main;f;g 3\nmain;f 2\nmain 1"), 0, {})), "g 3 3\nf 2 5\nmain 1 6\n");
}

TEST(top, counts_recursion_once_in_totals) {
  EXPECT_EQ(rows_text(top(profile_from_text("main;f;f;g;f 4"), 0, {})), "f 4 4\ng 0 4\nmain 0 4\n");
}

TEST(top, groups_by_label_and_thread) {
  const Profile profile = profile_from_text("a {thread.name=io,path=/x} 3\nb {path=/y} 2\na 1");
  EXPECT_EQ(rows_text(top(profile, 0, {DimensionKind::Label, "path"})), "/x 3 3\n/y 2 2\n(none) 1 1\n");
  EXPECT_EQ(rows_text(top(profile, 0, {DimensionKind::Thread, ""})), "(none) 3 3\nio 3 3\n");
}

TEST(top, tells_lines_and_files_apart) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const int64_t one = 1;
  for (const int64_t line : {10, 10, 12}) {
    const auto frame = profile.named_frame("f", "f.cpp", line);
    profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&one, 1});
  }
  const Top by_line = top(profile, 0, {DimensionKind::Line, ""});
  ASSERT_EQ(by_line.rows.size(), 2u);
  EXPECT_EQ(by_line.rows[0].entity.line, 10);
  EXPECT_EQ(by_line.rows[0].self, 2);
  EXPECT_EQ(rows_text(top(profile, 0, {DimensionKind::File, ""})), "f.cpp 3 3\n");
}

TEST(top, survives_odd_profiles) {
  for (const Profile& profile : test::generate_profiles(5)) {
    for (const char* by : {"function", "line", "file", "module", "thread", "label:a b"}) {
      const Top result = top(profile, 0, *parse_dimension(by));
      for (const TopRow& row : result.rows) EXPECT_EQ(row.self_share_ci95.is_known(), result.is_count_known);
    }
  }
}

TEST(confidence, interval_of_a_share_holds_the_share_and_shrinks_with_samples) {
  const Interval few = share_interval(0.3, 10);
  const Interval many = share_interval(0.3, 1000);
  EXPECT_LT(few.low, 0.3);
  EXPECT_GT(few.high, 0.3);
  EXPECT_LT(many.high - many.low, few.high - few.low);
  // Wilson's interval for 3 of 10, as tables give it.
  EXPECT_NEAR(few.low, 0.1078, 1e-4);
  EXPECT_NEAR(few.high, 0.6032, 1e-4);
}

TEST(confidence, effective_samples_are_the_count_column_where_weights_are_equal) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  const auto frame = profile.named_frame("f");
  const int64_t first[] = {3, 30};
  const int64_t second[] = {5, 50};
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, first);
  profile.samples.add({}, {}, second);
  EXPECT_DOUBLE_EQ(effective_samples(profile, 0), 8);
  EXPECT_DOUBLE_EQ(effective_samples(profile, 1), 8);
}

TEST(confidence, false_discovery_threshold_is_stricter_than_single_tests) {
  EXPECT_LT(false_discovery_threshold(std::vector<double>{0.04, 0.5, 0.6, 0.7}), 0);
  EXPECT_DOUBLE_EQ(false_discovery_threshold(std::vector<double>{0.001, 0.02, 0.6, 0.7}), 0.02);
}

TEST(diff, of_a_profile_with_itself_is_nothing) {
  for (const Profile& profile : test::generate_profiles(2)) {
    const Top itself = top(profile, 0, {});
    const Diff result = diff(itself, itself, Measure::Self);
    EXPECT_TRUE(result.rows.empty());
    EXPECT_FALSE(result.has_significant_change);
    EXPECT_EQ(result.distance, 0);
  }
}

TEST(diff, compares_shares_not_values) {
  const Top base = top(profile_from_text("a 500\nb 500"), 0, {});
  const Top scaled = top(profile_from_text("a 5000\nb 5000"), 0, {});
  EXPECT_TRUE(diff(base, scaled, Measure::Self).rows.empty());
}

TEST(diff, calls_a_clear_change_significant_and_noise_not) {
  const Top base = top(profile_from_text("a 500\nb 500"), 0, {});
  const Diff clear = diff(base, top(profile_from_text("a 800\nb 200"), 0, {}), Measure::Self);
  ASSERT_EQ(clear.rows.size(), 2u);
  EXPECT_TRUE(clear.has_significant_change);
  EXPECT_NEAR(std::abs(clear.rows[0].delta), 0.3, 1e-9);
  const Diff noise = diff(base, top(profile_from_text("a 510\nb 490"), 0, {}), Measure::Self);
  EXPECT_FALSE(noise.has_significant_change);
  EXPECT_LT(noise.rows[0].delta_ci95.low, 0);
  EXPECT_GT(noise.rows[0].delta_ci95.high, 0);
}

TEST(distance, is_zero_for_the_same_and_one_for_disjoint_profiles) {
  const Top a = top(profile_from_text("a 1\nb 1"), 0, {});
  EXPECT_EQ(distance(a, top(profile_from_text("a 10\nb 10"), 0, {})), 0);
  EXPECT_DOUBLE_EQ(distance(a, top(profile_from_text("c 1"), 0, {})), 1);
  const Top near = top(profile_from_text("a 2\nb 1"), 0, {});
  EXPECT_DOUBLE_EQ(distance(a, near), distance(near, a));
  EXPECT_GT(distance(a, near), 0);
}

TEST(filter, focuses_and_ignores_by_function) {
  const Profile profile = profile_from_text("main;f 1\nmain;g 2\nmain;f;h 4");
  EXPECT_EQ(to_text(*filter(profile, {.focus = "^f$"})), "main;f 1\nmain;f;h 4\n");
  EXPECT_EQ(to_text(*filter(profile, {.focus = "f", .ignore = "h"})), "main;f 1\n");
  EXPECT_EQ(to_text(*filter(profile, {.leaf = "^f$"})), "main;f 1\n");
  EXPECT_EQ(to_text(*filter(profile, {.focus = "^f$", .leaf = "h"})), "main;f;h 4\n");
  EXPECT_EQ(to_text(*filter(profile, {.leaf = "main"})), "");
  EXPECT_EQ(to_text(*filter(profile, {.ignore = "main"})), "");
}

TEST(filter, selects_by_label_and_time) {
  const Profile profile = profile_from_text("a {path=/x} 1\na {path=/xy} 2\na 4");
  EXPECT_EQ(to_text(*filter(profile, {.labels = {{"path", "/x"}}})), "a {path=/x} 1\n");
  Profile timed;
  timed.add_value_type("samples", "count");
  const int64_t one = 1;
  for (const int64_t time : {0, 10, 20, 30}) timed.samples.add({}, {}, {&one, 1}, time);
  EXPECT_EQ(filter(timed, {.from_ns = 10, .to_ns = 30})->samples.size(), 2u);
}

TEST(filter, takes_patterns_of_either_name) {
  const Profile profile = profile_from_text("main;fresh 1\nmain;other 2\n");
  const Profile as_before = profile_from_text("main;stale 1\nmain;other 2\n");
  EXPECT_EQ(to_text(*filter(profile, as_before, {.focus = "stale"})), "main;fresh 1\n");
  EXPECT_EQ(to_text(*filter(profile, as_before, {.focus = "fresh"})), "main;fresh 1\n");
  EXPECT_EQ(to_text(*filter(profile, as_before, {.leaf = "stale"})), "main;fresh 1\n");
  EXPECT_EQ(to_text(*filter(profile, as_before, {.ignore = "stale"})), "main;other 2\n");
  EXPECT_FALSE(filter(profile, as_before, {.focus = "("}).ok());
}

TEST(filter, names_a_bad_expression) {
  const auto result = filter(profile_from_text("a 1"), {.focus = "("});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(result.error().message.find("'('"), std::string::npos);
}

TEST(filter, commutes_with_merge) {
  const FilterOptions options{.focus = "main|a", .ignore = "quoted"};
  for (uint64_t seed = 1; seed < 20; ++seed) {
    const Profile a = test::generate_profile(seed);
    const Profile b = test::generate_profile(seed + 100);
    EXPECT_TRUE(equivalent(*filter(merge(a, b), options), merge(*filter(a, options), *filter(b, options)))) << seed;
  }
}

TEST(prune, drops_matching_frames_and_what_they_called) {
  const Profile profile = profile_from_text("main;f;malloc;sys 3\nmain;malloc 2\nmalloc;x 1");
  EXPECT_EQ(to_text(*prune_matching(profile, "malloc|sys", "")), "main 2\nmain;f 3\nmalloc;x 1\n");
  EXPECT_EQ(to_text(*prune_matching(profile, "malloc|sys", "malloc")), "main;f;malloc 3\nmain;malloc 2\nmalloc;x 1\n");
}

TEST(prune, compares_names_without_arguments) {
  const Profile profile = profile_from_text("main;(anonymous namespace)::f(int);x 1\nmain;operator()(int) 2");
  EXPECT_EQ(to_text(*prune_matching(profile, R"(\(anonymous namespace\)::f)", "")), "main 1\nmain;operator()(int) 2\n");
}

TEST(prune, folds_small_functions_and_keeps_their_value) {
  const Profile profile = profile_from_text("main;big 98\nmain;small;x 1\nmain;tiny 1");
  EXPECT_EQ(to_text(prune_below(profile, 0, 0.05)), "main;(pruned) 2\nmain;big 98\n");
}

}  // namespace atys::reduce
