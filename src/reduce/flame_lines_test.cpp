// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_lines.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::reduce {

namespace {

// Root first: "main:10;work:7".
void add(Profile& profile, const std::vector<std::pair<std::string, int64_t>>& stack, int64_t value) {
  std::vector<profile::FrameId> frames;
  for (auto call = stack.rbegin(); call != stack.rend(); ++call)
    frames.push_back(profile.named_frame(call->first, call->first + ".c", call->second));
  profile.samples.add(profile.stacks.intern(frames), {}, {&value, 1});
}

Profile with_lines() {
  Profile profile;
  profile.add_value_type("samples", "count");
  add(profile, {{"main", 10}, {"work", 7}}, 4);
  add(profile, {{"main", 10}, {"work", 8}}, 2);
  add(profile, {{"main", 12}, {"work", 7}}, 1);
  return profile;
}

std::string to_text(const FlameTree& tree, const FlameLines& lines) {
  std::string text;
  for (size_t i = 0; i < lines.places.size(); ++i) {
    const FlamePlace& place = lines.places[i];
    text += (place.node == 0 ? "all" : std::string(tree.name(tree.nodes[place.node]))) + ":" + std::to_string(place.line);
    if (place.node != 0) text += " from " + std::to_string(place.parent);
    text += "\n";
  }
  return text;
}

}  // namespace

TEST(flame_lines, tell_calls_of_one_function_apart) {
  const Profile profile = with_lines();
  const FlameInput input{&profile, 0};
  const FlameTree tree = build_flame_tree({&input, 1}, {});
  const FlameLines lines = find_flame_lines(tree, {&input, 1});
  EXPECT_TRUE(lines.has_lines);
  EXPECT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(to_text(tree, lines), "all:0\nmain:10 from 0\nmain:12 from 0\nwork:7 from 1\nwork:8 from 1\nwork:7 from 2\n");
}

TEST(flame_lines, are_left_out_where_there_are_too_many) {
  const Profile profile = with_lines();
  const FlameInput input{&profile, 0};
  const FlameTree tree = build_flame_tree({&input, 1}, {});
  const FlameLines lines = find_flame_lines(tree, {&input, 1}, 4);
  EXPECT_FALSE(lines.has_lines);
  EXPECT_EQ(to_text(tree, lines), "all:0\nmain:0 from 0\nwork:0 from 1\n");
  EXPECT_EQ(lines.place_of_stack, tree.node_of_stack);
}

TEST(flame_lines, of_a_profile_without_lines_are_its_nodes) {
  const Profile profile = test::profile_from_text("main;parse 3\nmain;run 5");
  const FlameInput input{&profile, 0};
  const FlameTree tree = build_flame_tree({&input, 1}, {});
  const FlameLines lines = find_flame_lines(tree, {&input, 1});
  EXPECT_FALSE(lines.has_lines);
  EXPECT_EQ(lines.places.size(), tree.nodes.size());
}

class FlameLinesLaws : public testing::TestWithParam<int> {};

// Also where small nodes were folded.
TEST_P(FlameLinesLaws, places_lie_as_their_nodes_do) {
  for (const Profile& profile : test::generate_profiles(GetParam())) {
    const FlameInput input{&profile, 0};
    for (const size_t most : {SIZE_MAX, size_t{16}, size_t{3}}) {
      const FlameTree tree = build_flame_tree({&input, 1}, {.most_nodes = most, .keep_zero_stacks = true});
      const FlameLines lines = find_flame_lines(tree, {&input, 1});
      std::vector<bool> has_place(tree.nodes.size(), false);
      for (size_t i = 0; i < lines.places.size(); ++i) {
        const FlamePlace& place = lines.places[i];
        has_place[place.node] = true;
        ASSERT_TRUE(i == 0 || place.node >= lines.places[i - 1].node);
        if (place.node == 0) continue;
        ASSERT_LT(place.parent, i);
        ASSERT_EQ(lines.places[place.parent].node, tree.nodes[place.node].parent);
      }
      EXPECT_EQ(std::count(has_place.begin(), has_place.end(), false), 0);
      for (size_t stack = 0; stack < tree.node_of_stack[0].size(); ++stack) {
        const uint32_t node = tree.node_of_stack[0][stack];
        const uint32_t place = lines.place_of_stack[0][stack];
        ASSERT_EQ(node == FlameNode::kNone, place == FlameNode::kNone);
        EXPECT_TRUE(node == FlameNode::kNone || lines.places[place].node == node);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FlameLinesLaws, testing::Range(1, 6));

}  // namespace atys::reduce
