// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/utf8.h"
#include "reduce/code_origins.h"
#include "support/profile_text.h"
#include "verbs/brief.h"
#include "verbs/detail.h"
#include "verbs/follow_up.h"
#include "verbs/hot_paths.h"
#include "verbs/hot_tree.h"
#include "verbs/output.h"
#include "verbs/profile_info.h"
#include "verbs/summary.h"

namespace atys::verbs {

namespace {

ViewedProfile viewed(std::string_view text) { return {{test::profile_from_text(text), {}, "test"}, 0}; }

reduce::CodeOrigins origins(const ViewedProfile& of, const reduce::OwnCodeRules& rules = {}) {
  return {of.loaded.profile, of.column, *reduce::OwnCode::compile(rules)};
}

std::vector<std::string> names(const std::vector<SummaryRow>& rows) {
  std::vector<std::string> result;
  for (const SummaryRow& row : rows) result.push_back(row.entity.name);
  return result;
}

}  // namespace

TEST(view, starts_from_as_many_rows_as_could_fit) {
  EXPECT_EQ(rows_wanted({}), kDefaultRows);
  EXPECT_EQ(rows_wanted({.top = 2, .max_tokens = 4000}), 2u);
  EXPECT_GE(rows_wanted({.max_tokens = 4000}), 100u);
  EXPECT_EQ(bounds_of({.max_tokens = kLeastTokens - 1}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(bounds_of({})->most_characters, kDefaultCharacters);
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
  EXPECT_EQ(escape_for_pattern("a\n\xff"), R"(a\x0a\xff)");
}

TEST(follow_up, patterns_are_short_and_find_their_function_whatever_its_name) {
  for (const std::string& name : {std::string("f"), std::string("f(int*)"), std::string("a\nb\xff\xe2\x80\xae"),
                                  std::string(5000, 'x') + "(\n)", std::string(40, '\xcf') + std::string(90, '\n')}) {
    const std::string pattern = pattern_of_function(name);
    EXPECT_LT(pattern.size(), 400u);
    const auto compiled = reduce::Pattern::compile(pattern);
    ASSERT_TRUE(compiled.ok()) << pattern;
    EXPECT_TRUE(compiled->matches(name)) << pattern;
    EXPECT_FALSE(compiled->matches("y" + name + "y"));
  }
}

TEST(hot_paths, adds_up_equal_paths_and_puts_the_costliest_first) {
  const ViewedProfile profile = viewed("a;b {t=1} 2\na;c 3\na;b {t=2} 4");
  const auto rows = hot_paths(profile, origins(profile));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].path, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows[0].total, 6);
}

namespace {

// A run that reads for a second, then parses for three, with a bit of logging all along: a sample each 10 ms.
ViewedProfile read_then_parse() {
  ViewedProfile run{{{}, {}, "test"}, 0};
  Profile& profile = run.loaded.profile;
  profile.add_value_type("cpu", "nanoseconds");
  for (int64_t i = 0; i < 400; ++i) {
    const char* leaf = i % 10 == 0 ? "log" : i < 100 ? "read" : "parse";
    const std::vector<profile::FrameId> stack{profile.named_frame(leaf), profile.named_frame("main")};
    profile.samples.add(profile.stacks.intern(stack), {}, std::vector<int64_t>{10}, 1'000'000'000 + i * 10'000'000);
  }
  return run;
}

}  // namespace

TEST(hot_paths, are_told_by_phase_where_the_run_had_some) {
  const ViewedProfile run = read_then_parse();
  const PhasedPaths found = hot_paths_by_phase(run, origins(run));
  ASSERT_EQ(found.phases.size(), 2u);
  EXPECT_EQ(found.phases[0].from_seconds, 0);
  EXPECT_NEAR(found.phases[0].to_seconds, 1, 0.1);
  EXPECT_NEAR(found.phases[0].percent, 25, 2);
  EXPECT_NEAR(found.phases[0].percent + found.phases[1].percent, 100, 1e-9);
  ASSERT_EQ(found.rows.size(), 4u);
  EXPECT_EQ(names(found.rows), (std::vector<std::string>{"read", "log", "parse", "log"}));
  EXPECT_EQ(found.rows[1].phase, 1u);
  EXPECT_EQ(found.rows[2].phase, 2u);
  EXPECT_LT(std::max(found.rows[0].rank, found.rows[2].rank), 2u) << "a short answer still has the first of each";
}

TEST(hot_paths, of_phases_that_no_row_is_left_of_are_not_told) {
  const ViewedProfile run = read_then_parse();
  SummaryAnswer answer = *summarize(run, "-", {.form = "paths"});
  ASSERT_EQ(answer.phases.size(), 2u);
  keep_rows(answer, 1);
  ASSERT_EQ(answer.phases.size(), 1u);
  EXPECT_EQ(answer.phases[0].number, answer.rows.at(0).phase);
  EXPECT_NEAR(answer.omitted.percent + answer.rows[0].total_percent, 100, 1e-9);
}

TEST(hot_paths, have_no_phases_without_times_or_with_few) {
  const ViewedProfile without = viewed("main;read 200\nmain;parse 200");
  EXPECT_TRUE(hot_paths_by_phase(without, origins(without)).phases.empty());
  ViewedProfile half = read_then_parse();
  Profile& profile = half.loaded.profile;
  const auto frame = profile.named_frame("timeless");
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, std::vector<int64_t>{4000});
  EXPECT_TRUE(hot_paths_by_phase(half, origins(half)).phases.empty());
}

TEST(hot_tree, keeps_the_costliest_nodes_with_their_callers) {
  const ViewedProfile profile = viewed("a;b;c 10\na;d 5\ne 1");
  const HotTree tree = hot_tree(profile, origins(profile), 3);
  EXPECT_EQ(tree.nodes, 5u);
  EXPECT_EQ(names(tree.rows), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(tree.rows[2].depth, 2u);
}

TEST(hot_tree, folds_recursion_into_one_node_also_through_others) {
  const ViewedProfile profile = viewed("a;f;f;f;g 4\na;f;h;f;h;g 2");
  const HotTree tree = hot_tree(profile, origins(profile), 10);
  EXPECT_EQ(names(tree.rows), (std::vector<std::string>{"a", "f", "g", "h", "g"}));
  EXPECT_EQ(tree.rows[1].recursion, 2u);
  EXPECT_EQ(tree.rows[1].total, 6);
  EXPECT_EQ(tree.rows[3].total, 2);
}

TEST(hot_tree, shows_own_code_and_charges_the_rest_to_it) {
  const ViewedProfile profile = viewed("a;lib;b;lib 10\na;lib 5\nlib 1");
  const HotTree tree = hot_tree(profile, origins(profile, {.own = {}, .library = {"^lib$"}}), 10);
  EXPECT_EQ(names(tree.rows), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tree.rows[0].self, 5);
  EXPECT_EQ(tree.rows[1].self, 10);
}

TEST(brief, names_the_hot_leaf_the_loop_above_it_and_the_library_below) {
  const ViewedProfile profile = viewed("main;run;loop;work 40\nmain;run;loop;other 30\nmain;run;load;lib_parse;lib_scan 30");
  const Brief found = brief(profile, origins(profile, {.own = {}, .library = {"^lib_"}}), 8);
  const auto shown = names(found.rows);
  for (const char* name : {"work", "loop", "lib_scan", "load"})
    EXPECT_NE(std::ranges::find(shown, name), shown.end()) << name;
}

TEST(brief, charges_the_runtime_to_who_calls_it_and_says_for_what) {
  // By self time, the culprit comes after three functions that nobody can change.
  const ViewedProfile profile = viewed(
      "main;page;offset;std::regex_match;std::step 30\nmain;page;offset;std::regex_match;std::next 25\n"
      "main;page;offset 1\nmain;page;draw 24\nmain;save;std::copy 20");
  const Brief found = brief(profile, origins(profile), 8);
  ASSERT_FALSE(found.rows.empty());
  EXPECT_EQ(found.rows[0].entity.name, "offset");
  EXPECT_EQ(found.rows[0].self, 1);
  EXPECT_EQ(found.rows[0].charged, 56);
  EXPECT_EQ(found.rows[0].callee, "std::regex_match");
  EXPECT_DOUBLE_EQ(found.rows[0].callee_percent, 55);
  for (const SummaryRow& row : found.rows) EXPECT_NE(row.origin, "runtime") << row.entity.name;
}

TEST(brief, has_functions_of_packages_beside_the_users_that_call_them) {
  const ViewedProfile profile = viewed("main;handle;lib_parse;lib_scan;std::copy 60\nmain;handle;check 5\nmain;other 35");
  const Brief found = brief(profile, origins(profile, {.own = {}, .library = {"^lib_"}}), 8);
  const auto shown = names(found.rows);
  ASSERT_GE(shown.size(), 3u);
  EXPECT_EQ(shown[0], "lib_scan");
  EXPECT_EQ(shown[1], "handle");
  EXPECT_EQ(found.rows[0].callee, "std::copy");
  EXPECT_EQ(found.rows[1].charged, 60);
  EXPECT_EQ(found.rows[1].callee, "lib_parse");
}

TEST(brief, has_a_function_of_little_self_time_where_much_comes_together) {
  // Ten callees of `compare` are each hotter than it, and none is what to change; `main` and `run` hold everything.
  std::string text = "main;run;compare 1\n";
  for (int i = 0; i < 10; ++i) text += "main;run;compare;part" + std::to_string(i) + " 8\n";
  text += "main;run;load 19\n";
  const ViewedProfile profile = viewed(text);
  const auto shown = names(brief(profile, origins(profile), 8).rows);
  ASSERT_GE(shown.size(), 5u);
  const auto end_of_first = shown.begin() + 5;
  EXPECT_NE(std::find(shown.begin(), end_of_first, "compare"), end_of_first);
  EXPECT_EQ(std::find(shown.begin(), end_of_first, "main"), end_of_first);
}

TEST(brief, has_recursion_in_one_row) {
  const ViewedProfile profile = viewed("main;walk;walk;walk;walk;std::copy 50\nmain;walk;walk;std::copy 30\nmain;idle 20");
  const Brief found = brief(profile, origins(profile), 8);
  const auto shown = names(found.rows);
  EXPECT_EQ(shown, (std::vector<std::string>{"walk", "idle"}));
  EXPECT_EQ(found.rows[0].charged, 80);
  EXPECT_EQ(found.rows[0].total, 80);
}

TEST(brief, has_what_the_runtime_does_by_itself_last_and_in_one_row_each) {
  const ViewedProfile profile = viewed(
      "clone3[kernel];(garbage collector);std::mark 30\n(garbage collector);std::sweep 20\nstart[kernel];do_exit[kernel] "
      "10\n"
      "main;(garbage collector) 15\nmain;work 25");
  const Brief found = brief(profile, origins(profile), 8);
  EXPECT_EQ(names(found.rows), (std::vector<std::string>{"work", "main", "[garbage collection]", "[starting and ending]"}));
  EXPECT_EQ(found.rows[2].total, 50);
  EXPECT_EQ(found.rows[1].callee, "(garbage collector)");
}

TEST(brief, has_a_row_where_nothing_but_the_runtime_was_seen) {
  const ViewedProfile profile = viewed("start[kernel];do_exit[kernel] 10");
  for (const size_t most : {1, 8}) EXPECT_FALSE(brief(profile, origins(profile), most).rows.empty());
}

TEST(detail, leaves_out_the_least_important_rows_and_counts_them) {
  SummaryAnswer answer;
  for (size_t i = 0; i < 4; ++i)
    answer.rows.push_back(
        {.entity = {.name = "pkg.f" + std::to_string(i), .file = {}, .line = 0, .module = {}, .kind = {}, .build_id = {}},
         .self_percent = 40.0 - 10 * static_cast<double>(i),
         .rank = 3 - i});
  const SummaryAnswer less = in_detail(answer, {.rows = 2});
  EXPECT_EQ(names(less.rows), (std::vector<std::string>{"pkg.f2", "pkg.f3"}));
  EXPECT_EQ(less.omitted.rows, 2u);
  EXPECT_EQ(less.omitted.percent, 70);
  ASSERT_EQ(less.omitted.groups.size(), 1u);
  EXPECT_EQ(less.omitted.groups[0].name, "pkg");
}

TEST(detail, shortens_in_the_middle_between_characters) {
  EXPECT_EQ(shorten_middle("short", 5), "short");
  EXPECT_EQ(shorten_middle("io.netty.channel.Handler.read", 15), "io.n…ler.read");
  for (size_t most = 0; most < 30; ++most) {
    const std::string text = shorten_middle("日本語日本語日本語日本語", most);
    EXPECT_TRUE(is_utf8(text)) << most;
    EXPECT_LE(text.size(), std::max<size_t>(most, 3));
  }
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
