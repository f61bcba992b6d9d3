// SPDX-License-Identifier: Apache-2.0
#include "reduce/anonymous.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reduce/top.h"

namespace atys::reduce {

using namespace profile;

namespace {

// A stack of functions, leaf first, each with the line where it begins.
class Stacks {
 public:
  Stacks() { profile.add_value_type("cpu", "nanoseconds"); }

  FrameId frame(std::string_view name, std::string_view file, int64_t start_line) {
    const Line line{
        .line = start_line + 1,
        .function = profile.functions.intern(
            {.name = profile.strings.intern(name), .filename = profile.strings.intern(file), .start_line = start_line})};
    return profile.frames.intern({.lines = profile.lines.intern({&line, 1})});
  }
  void add(const std::vector<FrameId>& leaf_first, int64_t value) {
    profile.samples.add(profile.stacks.intern(leaf_first), {}, {&value, 1});
  }
  std::map<std::string, double> self() {
    std::map<std::string, double> values;
    for (const TopRow& row : top(name_anonymous_functions(profile), 0, {}).rows)
      if (row.self > 0) values[row.entity.name] = row.self;
    return values;
  }

  Profile profile;
};

using Values = std::map<std::string, double>;

}  // namespace

TEST(anonymous, functions_of_one_file_are_told_apart_by_their_lines) {
  Stacks stacks;
  stacks.add({stacks.frame("(anonymous)", "a.js", 7)}, 5);
  stacks.add({stacks.frame("(anonymous)", "a.js", 9)}, 2);
  EXPECT_EQ(stacks.self(), (Values{{"(anonymous):7", 5}, {"(anonymous):9", 2}}));
}

TEST(anonymous, are_named_by_the_function_around_them) {
  Stacks stacks;
  const FrameId main = stacks.frame("(anonymous)", "a.js", 1), index = stacks.frame("indexById", "a.js", 5),
                reduce = stacks.frame("reduce", "", 0), each = stacks.frame("each", "a.js", 2),
                later = stacks.frame("later", "a.js", 30), other = stacks.frame("other", "b.js", 6),
                callback = stacks.frame("(anonymous)", "a.js", 7);
  // Neither who calls it first, nor what begins after it, nor what lies in another file.
  stacks.add({callback, each, reduce, other, index, later, main}, 5);
  EXPECT_EQ(stacks.self(), (Values{{"(anonymous):7 in indexById", 5}}));
}

TEST(anonymous, have_one_name_whoever_calls_them) {
  Stacks stacks;
  const FrameId index = stacks.frame("indexById", "a.js", 5), each = stacks.frame("each", "a.js", 2),
                callback = stacks.frame("(anonymous)", "a.js", 7);
  stacks.add({callback, each}, 1);
  stacks.add({callback, index}, 2);
  stacks.add({callback, callback, index}, 4);
  stacks.add({callback}, 8);
  EXPECT_EQ(stacks.self(), (Values{{"(anonymous):7 in indexById", 15}}));
}

TEST(anonymous, get_their_line_alone_where_they_say_themselves_in_what_they_are) {
  Stacks stacks;
  const FrameId render = stacks.frame("Node.render", "a.py", 3);
  stacks.add({stacks.frame("Node.render.<locals>.<listcomp>", "a.py", 4), render}, 1);
  stacks.add({stacks.frame("Node.render.<locals>.<listcomp>", "a.py", 5), render}, 2);
  stacks.add({stacks.frame("App\\{closure}", "a.php", 6)}, 3);
  stacks.add({stacks.frame("block in Node#render", "a.rb", 7)}, 4);
  stacks.add({stacks.frame("block (2 levels) in Node#render", "a.rb", 8)}, 5);
  EXPECT_EQ(stacks.self(), (Values{{"Node.render.<locals>.<listcomp>:4", 1},
                                   {"Node.render.<locals>.<listcomp>:5", 2},
                                   {"App\\{closure}:6", 3},
                                   {"block in Node#render:7", 4},
                                   {"block (2 levels) in Node#render:8", 5}}));
}

TEST(anonymous, classes_that_a_virtual_machine_makes_have_one_name_in_every_run) {
  Stacks stacks;
  stacks.add({stacks.frame("com.shop.Order$$Lambda$89+0x00007fad64008240.927327686.apply", "", 0)}, 1);
  stacks.add({stacks.frame("com.shop.Order$$Lambda$12+0x00007f0064008240.27327686.apply", "", 0)}, 2);
  EXPECT_EQ(stacks.self(), (Values{{"com.shop.Order$$Lambda.apply", 3}}));
}

TEST(anonymous, have_a_name_that_lasts) {
  Stacks stacks;
  const auto lasting = [&](std::string_view name, std::string_view file, int64_t line) {
    const auto lines = stacks.profile.lines[stacks.profile.frames[stacks.frame(name, file, line)].lines];
    return lasting_name(stacks.profile, lines.front().function);
  };
  EXPECT_EQ(lasting("(anonymous)", "/srv/app.js", 7), "(anonymous):7 in app.js");
  EXPECT_EQ(lasting("(anonymous)", "", 7), "(anonymous):7");
  EXPECT_EQ(lasting("(anonymous)", "/srv/app.js", 0), "(anonymous)");
  EXPECT_EQ(lasting("f.<locals>.<lambda>", "a.py", 7), "f.<locals>.<lambda>:7");
  EXPECT_EQ(lasting("serve", "/srv/app.js", 7), "serve");
}

TEST(anonymous, are_found_again_by_any_name_that_was_shown) {
  Stacks stacks;
  const FunctionId id =
      stacks.profile.lines[stacks.profile.frames[stacks.frame("(anonymous)", "/srv/app.js", 7)].lines].front().function;
  for (const char* shown : {"(anonymous)", "(anonymous):7", "(anonymous):7 in indexById", "(anonymous):7 in app.js"})
    EXPECT_TRUE(may_be_shown_as(stacks.profile, id, shown)) << shown;
  for (const char* shown : {"(anonymous):70", "(anonymous):8 in indexById", "indexById", ""})
    EXPECT_FALSE(may_be_shown_as(stacks.profile, id, shown)) << shown;
}

TEST(anonymous, leave_what_has_a_name_or_no_line_as_it_is) {
  Stacks stacks;
  stacks.add({stacks.frame("(anonymous)", "a.js", 0), stacks.frame("f", "a.js", 3)}, 1);
  stacks.add({stacks.frame("Node.render", "a.py", 4)}, 2);
  const Profile named = name_anonymous_functions(stacks.profile);
  EXPECT_TRUE(equivalent(named, stacks.profile));
}

TEST(anonymous, keep_everything_else_of_the_profile) {
  Stacks stacks;
  const int64_t value = 3;
  const LabelSetId labels = stacks.profile.label_set({stacks.profile.string_label("thread.name", "main")});
  stacks.profile.add_loss("ring full", 2);
  stacks.profile.samples.add(stacks.profile.stacks.intern(std::vector{stacks.frame("<lambda>", "a.py", 4)}), labels,
                             {&value, 1}, 77);
  const Profile named = name_anonymous_functions(stacks.profile);
  ASSERT_EQ(named.samples.size(), 1u);
  EXPECT_EQ(named.samples.value(0, 0), 3);
  EXPECT_EQ(named.samples.time_ns(0), 77);
  EXPECT_EQ(named.label_sets[named.samples.labels(0)].size(), 1u);
  ASSERT_EQ(named.losses.size(), 1u);
  EXPECT_EQ(named.losses[0].count, 2u);
  EXPECT_EQ(frame_name(named, named.stacks[named.samples.stack(0)][0]), "<lambda>:4");
}

// Java tells classes and lines, neither files nor where methods begin.
TEST(shown_file, methods_of_java_say_it_and_the_first_line_that_was_seen) {
  Profile profile;
  profile.add_value_type("cpu", "nanoseconds");
  const FunctionId method = profile.functions.intern({.name = profile.strings.intern("com.shop.Order$Item.price")});
  for (const int64_t number : {44, 42, 43}) {
    const Line line{.line = number, .function = method};
    const FrameId frame =
        profile.frames.intern({.lines = profile.lines.intern({&line, 1}), .kind = profile.strings.intern("jvm")});
    profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&number, 1});
  }
  const auto rows = top(profile, 0, {}).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].entity.file, "Order.java");
  EXPECT_EQ(rows[0].entity.line, 42);
  const auto lines = top(profile, 0, {DimensionKind::Line, {}}).rows;
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].entity.line, 44);
  EXPECT_EQ(top(profile, 0, {DimensionKind::File, {}}).rows[0].entity.name, "Order.java");
}

TEST(anonymous, names_can_be_taken_apart_again) {
  const auto callback = parse_anonymous_name("(anonymous):7 in indexById");
  ASSERT_TRUE(callback);
  EXPECT_EQ(callback->word, "(anonymous)");
  EXPECT_EQ(callback->line, 7);
  EXPECT_EQ(callback->around, "indexById");
  EXPECT_EQ(parse_anonymous_name("<lambda>:12")->around, "");
  const auto nested = parse_anonymous_name("run(int)::{lambda}:23::{lambda}:24<int>");
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->word, "run(int)::{lambda}::{lambda}<int>");
  EXPECT_EQ(nested->line, 24);
  EXPECT_EQ(parse_anonymous_name("render.<locals>.<lambda>:12")->word, "render.<locals>.<lambda>");
  EXPECT_EQ(parse_anonymous_name("block in Node#render:9")->word, "block in Node#render");
  EXPECT_EQ(parse_anonymous_name("shop::run::{{closure}}:42")->line, 42);
  EXPECT_EQ(parse_anonymous_name("run(int)::{lambda}:22#2")->word, "run(int)::{lambda}#2");
  for (const char* name : {"", "std::f", "f::{lambda}", "f:7", "a::b:7", "f", "(anonymous)", "(anonymous):", "(anonymous):x",
                           "(anonymous):7 of f", "(anonymous):7x"})
    EXPECT_FALSE(parse_anonymous_name(name)) << name;
}

}  // namespace atys::reduce
