// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_rows.h"

#include <gtest/gtest.h>

#include "support/profile_text.h"

namespace atys::format::flame_html {

namespace {

// `count` samples, each of another thread, 10 ms after the one before.
Profile timed_threads(int64_t count) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const auto frame = profile.named_frame("main");
  const int64_t value = 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto labels = profile.label_set({profile.string_label("thread.name", "t" + std::to_string(i))});
    profile.samples.add(profile.stacks.intern({&frame, 1}), labels, {&value, 1}, 1'000'000'000 + i * 10'000'000);
  }
  return profile;
}

struct Written {
  explicit Written(const Profile& profile, size_t most)
      : input{&profile, 0},
        tree(reduce::build_flame_tree({&input, 1}, {})),
        lines(reduce::find_flame_lines(tree, {&input, 1})),
        rows({&input, 1}, {{size_t{0}}}, lines, most) {}

  size_t count() const {
    JsonWriter json;
    rows.write(0, json);
    return parse_json(json.text())->at("count").get<size_t>();
  }

  reduce::FlameInput input;
  reduce::FlameTree tree;
  reduce::FlameLines lines;
  PageRows rows;
};

}  // namespace

TEST(page_rows, tell_everything_apart_while_there_is_room) {
  const Profile profile = timed_threads(100);
  const Written written(profile, 100);
  EXPECT_EQ(written.count(), 100u);
  EXPECT_EQ(written.rows.contexts().facets().front().values.size(), 100u);
  EXPECT_GT(written.rows.clock().step_ns, 0);
}

TEST(page_rows, tell_fewer_threads_apart_where_there_is_not) {
  const Profile profile = timed_threads(1000);
  const Written written(profile, 300);
  EXPECT_LE(written.count(), 300u);
  EXPECT_EQ(written.rows.contexts().facets().front().values.size(), 250u);
  EXPECT_EQ(written.rows.contexts().facets().front().values.back(), "(751 others)");
}

TEST(page_rows, tell_times_apart_less_finely_where_there_is_not) {
  const Profile profile = timed_threads(1000);
  const Written written(profile, 300);
  // 10 s in so many steps that at most 300 have a sample: each thread that is told apart has one.
  EXPECT_GT(written.rows.clock().step_ns, 1'000'000);
  const Written without(profile, 3);
  EXPECT_EQ(without.rows.clock().step_ns, 0);
  EXPECT_LE(without.count(), 3u);
}

TEST(page_rows, one_moment_is_no_order_in_time) {
  const Profile profile = timed_threads(1);
  EXPECT_EQ(Written(profile, 10).rows.clock().step_ns, 0);
}

TEST(page_clock, counts_steps_from_one) {
  const PageClock clock{.start_ns = 100, .step_ns = 10};
  EXPECT_EQ(clock.step(0), 0u);
  EXPECT_EQ(clock.step(100), 1u);
  EXPECT_EQ(clock.step(109), 1u);
  EXPECT_EQ(clock.step(110), 2u);
  EXPECT_EQ((PageClock{}).step(110), 0u);
}

}  // namespace atys::format::flame_html
