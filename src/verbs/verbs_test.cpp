// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/utf8.h"
#include "reduce/pattern.h"
#include "support/profile_text.h"
#include "verbs/profiles/output.h"
#include "verbs/profiles/profile_info.h"
#include "verbs/summary.h"
#include "verbs/view/detail.h"
#include "verbs/view/follow_up.h"

namespace atys::verbs {

namespace {

std::vector<std::string> names(const std::vector<reduce::TableRow>& rows) {
  std::vector<std::string> result;
  for (const reduce::TableRow& row : rows) result.push_back(row.entity.name);
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

TEST(follow_up, is_a_command_with_the_options_that_make_the_same_view) {
  View view{.form = reduce::Form::Paths};
  view.filter.focus = "^a b$";
  EXPECT_EQ(command_of({Question::Summary, {"my file"}, view}), "atys summary 'my file' --form paths --focus '^a b$'");
  EXPECT_EQ(command_of({Question::Diff, {"a1", "b2"}, {.form = reduce::Form::Brief}, {{"/old", "/new"}, {"a b", "c"}}}),
            "atys diff a1 b2 --map /old=/new --map 'a b=c'");
  View labelled;
  labelled.filter.labels = {{"route", "/x y"}};
  EXPECT_EQ(command_of({Question::Link, {"a1"}, labelled}), "atys link a1 --label 'route=/x y'");
  EXPECT_EQ(command_of({Question::Link, {"a1"}, {}, {}, "^f$"}), "atys link a1 --behind '^f$'");
}

TEST(detail, leaves_out_phases_that_no_row_is_left_of) {
  ViewedProfile run{{{}, {}, "test"}, 0};
  Profile& profile = run.loaded.profile;
  profile.add_value_type("cpu", "nanoseconds");
  for (int64_t i = 0; i < 400; ++i) {  // reads for a second, then parses for three
    const std::vector<profile::FrameId> stack{profile.named_frame(i < 100 ? "read" : "parse")};
    profile.samples.add(profile.stacks.intern(stack), {}, std::vector<int64_t>{10}, 1'000'000'000 + i * 10'000'000);
  }
  SummaryAnswer answer = *summarize(run, "-", {.form = reduce::Form::Paths});
  auto& paths = std::get<reduce::PathRows>(answer.rows);
  ASSERT_EQ(paths.phases.size(), 2u);
  keep_rows(answer, 1);
  ASSERT_EQ(paths.phases.size(), 1u);
  EXPECT_EQ(paths.phases[0].number, paths.rows.at(0).phase);
  EXPECT_NEAR(answer.omitted.percent + paths.rows[0].total_percent, 100, 1e-9);
}

TEST(detail, leaves_out_the_least_important_rows_and_counts_them) {
  SummaryAnswer answer;
  auto& rows = reduce::table_of(answer.rows);
  for (size_t i = 0; i < 4; ++i)
    rows.push_back(
        {{.entity = {.name = "pkg.f" + std::to_string(i), .file = {}, .line = 0, .module = {}, .kind = {}, .build_id = {}},
          .self_percent = 40.0 - 10 * static_cast<double>(i),
          .rank = 3 - i}});
  const SummaryAnswer less = in_detail(answer, {.rows = 2});
  EXPECT_EQ(names(reduce::table_of(less.rows)), (std::vector<std::string>{"pkg.f2", "pkg.f3"}));
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
