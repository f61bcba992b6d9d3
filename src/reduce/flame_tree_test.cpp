// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_tree.h"

#include <gtest/gtest.h>

#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::reduce {

namespace {

constexpr uint32_t kNone = FlameNode::kNone;

// One line a node: indent, name, total/self.
std::string to_text(const FlameTree& tree) {
  std::string text;
  for (const FlameNode& node : tree.nodes) {
    text += std::string(node.depth, ' ') + (node.parent == kNone ? "all" : std::string(tree.name(node)));
    if (tree.function(node).is_inlined) text += "~";
    text += " " + std::to_string(node.total) + "/" + std::to_string(node.self) + "\n";
  }
  return text;
}

int64_t column_sum(const Profile& profile, size_t column) {
  uint64_t sum = 0;
  for (const int64_t value : profile.samples.values(column)) sum += static_cast<uint64_t>(value);
  return static_cast<int64_t>(sum);
}

void expect_consistent(const FlameTree& tree) {
  std::vector<uint64_t> from_children(tree.nodes.size(), 0);
  std::vector<size_t> children(tree.nodes.size(), 0);
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    const FlameNode& node = tree.nodes[i];
    ASSERT_LT(node.parent, i);
    ASSERT_EQ(node.depth, tree.nodes[node.parent].depth + 1);
    from_children[node.parent] += static_cast<uint64_t>(node.total);
    ++children[node.parent];
  }
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const FlameNode& node = tree.nodes[i];
    ASSERT_EQ(static_cast<uint64_t>(node.total), static_cast<uint64_t>(node.self) + from_children[i]);
    size_t linked = 0;
    for (uint32_t child = node.first_child; child != kNone; child = tree.nodes[child].next_sibling, ++linked) {
      ASSERT_EQ(tree.nodes[child].parent, i);
    }
    ASSERT_EQ(linked, children[i]);
  }
}

}  // namespace

TEST(flame_tree, adds_stacks_up_by_function) {
  const Profile profile = test::profile_from_text("main;parse 3\nmain;run;work 5\nmain;run 1\nmain;parse;work 9");
  EXPECT_EQ(to_text(build_flame_tree(profile)), "all 18/0\n main 18/0\n  parse 12/3\n   work 9/9\n  run 6/1\n   work 5/5\n");
}

TEST(flame_tree, can_order_siblings_by_name) {
  const Profile profile = test::profile_from_text("b 3\na 1\nc 2");
  EXPECT_EQ(to_text(build_flame_tree(profile, {.order = FlameOrder::ByName})), "all 6/0\n a 1/1\n b 3/3\n c 2/2\n");
}

TEST(flame_tree, inverted_has_the_leaves_at_the_root) {
  const Profile profile = test::profile_from_text("main;parse;work 3\nmain;run;work 5\nmain 1");
  EXPECT_EQ(to_text(build_flame_tree(profile, {.inverted = true})),
            "all 9/0\n work 8/0\n  run 5/0\n   main 5/5\n  parse 3/0\n   main 3/3\n main 1/1\n");
}

TEST(flame_tree, gives_inlined_functions_their_own_nodes) {
  Profile profile;
  profile.add_value_type("samples", "count");
  std::vector<profile::Line> lines;
  for (const char* name : {"innermost", "middle", "outer"}) {
    lines.push_back({1, 0, profile.functions.intern({.name = profile.strings.intern(name)})});
  }
  const auto frame =
      profile.frames.intern({.address = 1, .lines = profile.lines.intern(lines), .kind = profile.strings.intern("native")});
  const int64_t value = 7;
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&value, 1});
  const FlameTree tree = build_flame_tree(profile);
  EXPECT_EQ(to_text(tree), "all 7/0\n outer 7/0\n  middle~ 7/0\n   innermost~ 7/7\n");
  EXPECT_EQ(tree.strings.view(tree.function(tree.nodes[3]).kind), "native");
  EXPECT_EQ(to_text(build_flame_tree(profile, {.inverted = true})),
            "all 7/0\n innermost~ 7/0\n  middle~ 7/0\n   outer 7/7\n");
}

TEST(flame_tree, keeps_functions_of_other_kinds_apart) {
  const Profile profile = test::profile_from_text("poll[kernel] 1\npoll[native] 1");
  EXPECT_EQ(build_flame_tree(profile).nodes.size(), 3u);
}

TEST(flame_tree, folds_small_nodes_only_if_asked) {
  const Profile profile = test::profile_from_text("a;x 90\na;y;z 2\na;w 3\nb 5");
  EXPECT_EQ(build_flame_tree(profile).nodes.size(), 7u);
  const FlameTree folded = build_flame_tree(profile, {.fold_below = 0.04});
  EXPECT_EQ(to_text(folded), "all 100/0\n a 95/0\n  x 90/90\n  (other) 5/5\n b 5/5\n");
  expect_consistent(folded);
}

TEST(flame_tree, folds_as_many_as_it_takes) {
  const Profile profile = test::profile_from_text("a;x 90\na;y;z 2\na;w 3\nb 5\nc 5\nd 5");
  const FlameTree folded = build_flame_tree(profile, {.most_nodes = 8});
  // Of four nodes that stay, three are wider than 5; of those that are as wide, the first stays.
  EXPECT_EQ(to_text(folded), "all 110/0\n a 95/0\n  x 90/90\n  (other) 5/5\n (other) 10/10\n b 5/5\n");
  EXPECT_EQ(folded.folded, 5u);
  expect_consistent(folded);
  EXPECT_EQ(build_flame_tree(profile, {.most_nodes = 9}).folded, 0u);
}

TEST(flame_tree, of_two_profiles_holds_the_values_of_both) {
  const Profile fresh = test::profile_from_text("main;parse 3\nmain;run 5");
  const Profile base = test::profile_from_text("main;parse 1\nmain;old 2");
  const FlameInput inputs[] = {{&fresh, 0}, {&base, 0}};
  const FlameTree tree = build_flame_tree(inputs, {});
  EXPECT_EQ(to_text(tree), "all 11/0\n main 11/0\n  run 5/5\n  parse 4/4\n  old 2/2\n");
  EXPECT_EQ(flame_self(tree, 0, fresh, 0), (std::vector<int64_t>{0, 0, 5, 3, 0}));
  EXPECT_EQ(flame_self(tree, 1, base, 0), (std::vector<int64_t>{0, 0, 0, 1, 2}));
  EXPECT_EQ(flame_totals(tree, flame_self(tree, 1, base, 0)), (std::vector<int64_t>{3, 3, 0, 1, 2}));
}

TEST(flame_tree, puts_empty_stacks_into_the_root) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const int64_t value = 4;
  profile.samples.add({}, {}, {&value, 1});
  EXPECT_EQ(to_text(build_flame_tree(profile)), "all 4/4\n");
}

TEST(flame_tree, of_nothing_is_a_root) {
  EXPECT_EQ(to_text(build_flame_tree({})), "all 0/0\n");
  EXPECT_EQ(to_text(build_flame_tree(test::profile_from_text("a;b 0"))), "all 0/0\n");
  EXPECT_EQ(to_text(build_flame_tree(test::profile_from_text("a 0"), {.keep_zero_stacks = true})), "all 0/0\n a 0/0\n");
}

TEST(flame_tree, widths_cover_negative_values) {
  const FlameTree tree = build_flame_tree(test::profile_from_text("a;x 5\na;y -5"));
  EXPECT_EQ(tree.nodes[1].total, 0);
  EXPECT_EQ(flame_widths(tree)[1], 10);
}

class FlameTreeLaws : public testing::TestWithParam<int> {};

TEST_P(FlameTreeLaws, nothing_is_lost_or_counted_twice) {
  for (const Profile& profile : test::generate_profiles(GetParam())) {
    for (size_t column = 0; column < profile.value_types().size(); ++column) {
      for (const bool inverted : {false, true}) {
        for (const double fold_below : {0.0, 0.01, 0.3}) {
          const FlameTree tree =
              build_flame_tree(profile, {.value_column = column, .inverted = inverted, .fold_below = fold_below});
          expect_consistent(tree);
          EXPECT_EQ(tree.nodes[0].total, column_sum(profile, column));
        }
      }
    }
  }
}

TEST_P(FlameTreeLaws, the_value_of_every_stack_can_be_found_again) {
  for (const Profile& profile : test::generate_profiles(GetParam())) {
    const FlameTree tree = build_flame_tree(profile, {.keep_zero_stacks = true});
    std::vector<uint64_t> self(tree.nodes.size(), 0);
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      const uint32_t node = tree.node_of_stack[0][raw(profile.samples.stack(row))];
      ASSERT_NE(node, kNone);
      self[node] += static_cast<uint64_t>(profile.samples.value(row, profile.default_value_column()));
    }
    for (size_t i = 0; i < self.size(); ++i) EXPECT_EQ(static_cast<uint64_t>(tree.nodes[i].self), self[i]);
  }
}

TEST_P(FlameTreeLaws, of_two_profiles_lose_nothing_of_either) {
  const std::vector<Profile> profiles = test::generate_profiles(GetParam());
  for (size_t i = 0; i + 1 < profiles.size(); ++i) {
    if (profiles[i].value_types().empty() || profiles[i + 1].value_types().empty()) continue;
    const FlameInput inputs[] = {{&profiles[i], 0}, {&profiles[i + 1], 0}};
    for (const size_t most : {SIZE_MAX, size_t{20}, size_t{3}}) {
      const FlameTree tree = build_flame_tree(inputs, {.most_nodes = most, .keep_zero_stacks = true});
      expect_consistent(tree);
      for (size_t input = 0; input < 2; ++input) {
        const Profile& profile = *inputs[input].profile;
        EXPECT_EQ(flame_totals(tree, flame_self(tree, input, profile, 0))[0], column_sum(profile, 0));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FlameTreeLaws, testing::Range(1, 6));

TEST(flame_tree, shows_names_for_functions_that_have_none) {
  Profile profile;
  profile.add_value_type("cpu", "nanoseconds");
  const auto frame = [&](std::string_view name, std::string_view file, int64_t begin, std::string_view kind) {
    const profile::Line line{
        .line = begin + 1,
        .function = profile.functions.intern(
            {.name = profile.strings.intern(name), .filename = profile.strings.intern(file), .start_line = begin})};
    return profile.frames.intern({.lines = profile.lines.intern({&line, 1}), .kind = profile.strings.intern(kind)});
  };
  const auto add = [&](std::vector<profile::FrameId> leaf_first, int64_t value) {
    profile.samples.add(profile.stacks.intern(leaf_first), {}, {&value, 1});
  };
  const profile::FrameId index = frame("indexById", "/srv/app.js", 5, "v8js");
  add({frame("(anonymous)", "/srv/app.js", 7, "v8js"), index}, 3);
  add({frame("(anonymous)", "/srv/app.js", 9, "v8js"), index}, 2);
  add({frame("com.shop.Order$$Lambda$12+0x00007f0064008240.27327686.apply", "", 0, "jvm")}, 1);
  const FlameTree tree = build_flame_tree(profile, {});
  EXPECT_EQ(to_text(tree),
            "all 6/0\n indexById 5/0\n  (anonymous):7 in indexById 3/3\n  (anonymous):9 in indexById 2/2\n"
            " com.shop.Order$$Lambda.apply 1/1\n");
  EXPECT_EQ(tree.strings.view(tree.function(tree.nodes[4]).file), "Order.java");
}

}  // namespace atys::reduce
