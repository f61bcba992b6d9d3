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

TEST(anonymous, leave_what_has_a_name_or_no_line_as_it_is) {
  Stacks stacks;
  stacks.add({stacks.frame("(anonymous)", "a.js", 0), stacks.frame("f", "a.js", 3)}, 1);
  stacks.add({stacks.frame("Node.render.<locals>.<listcomp>", "a.py", 4)}, 2);
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

TEST(anonymous, names_can_be_taken_apart_again) {
  const auto callback = parse_anonymous_name("(anonymous):7 in indexById");
  ASSERT_TRUE(callback);
  EXPECT_EQ(callback->word, "(anonymous)");
  EXPECT_EQ(callback->line, 7);
  EXPECT_EQ(callback->around, "indexById");
  EXPECT_EQ(parse_anonymous_name("<lambda>:12")->around, "");
  for (const char* name : {"", "f", "(anonymous)", "(anonymous):", "(anonymous):x", "(anonymous):7 of f", "(anonymous):7x"})
    EXPECT_FALSE(parse_anonymous_name(name)) << name;
}

}  // namespace atys::reduce
