// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/contexts.h"

#include <gtest/gtest.h>

#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::format::flame_html {

namespace {

// Facets as lines: "thread: a, b".
std::string to_text(const Contexts& contexts) {
  std::string text;
  for (const Facet& facet : contexts.facets()) {
    text += facet.name + ":";
    for (const std::string& value : facet.values) text += " " + value + ",";
    text.back() = '\n';
  }
  return text;
}

std::string many_threads(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += "main {thread.name=t" + std::to_string(i) + "} " + std::to_string(count - i) + "\n";
  return text;
}

}  // namespace

TEST(contexts, tell_threads_and_labels_of_few_values_apart) {
  const Profile profile = test::profile_from_text(
      "main;a {thread.name=io,kind=read} 3\nmain;a {thread.name=io,kind=write} 1\nmain {thread.name=cpu,kind=read} 9");
  const reduce::FlameInput input{&profile, 0};
  const Contexts contexts({&input, 1});
  EXPECT_EQ(to_text(contexts), "thread: cpu, io\nkind: read, write\n");
  EXPECT_EQ(contexts.size(), 3u);
}

TEST(contexts, of_one_thread_are_no_choice) {
  const Profile profile = test::profile_from_text("main;a {thread.name=io} 3\nmain {thread.name=io} 9");
  const reduce::FlameInput input{&profile, 0};
  const Contexts contexts({&input, 1});
  EXPECT_TRUE(contexts.facets().empty());
  EXPECT_EQ(contexts.size(), 1u);
}

TEST(contexts, a_label_that_only_some_samples_have_is_a_choice) {
  const Profile profile = test::profile_from_text("main {canary=yes} 3\nmain 9");
  const reduce::FlameInput input{&profile, 0};
  EXPECT_EQ(to_text(Contexts({&input, 1})), "canary: (none), yes\n");
}

TEST(contexts, a_label_of_many_values_is_none) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "main {trace=" + std::to_string(i) + "} 1\n";
  const Profile profile = test::profile_from_text(text);
  const reduce::FlameInput input{&profile, 0};
  EXPECT_EQ(to_text(Contexts({&input, 1})), "");
}

TEST(contexts, of_two_profiles_go_by_name) {
  Profile profiles[2];
  for (int i = 0; i < 2; ++i) {
    Profile& profile = profiles[i];
    profile.add_value_type("samples", "count");
    const auto frame = profile.named_frame("main");
    for (const char* name : {"io", "cpu"}) {
      const int64_t value = 1;
      profile.samples.add(
          profile.stacks.intern({&frame, 1}),
          profile.label_set({profile.string_label("thread.name", name), profile.int_label("thread.id", 100 + i)}),
          {&value, 1});
    }
  }
  const reduce::FlameInput inputs[] = {{&profiles[0], 0}, {&profiles[1], 0}};
  EXPECT_EQ(to_text(Contexts(inputs)), "thread: cpu, io\n");
  EXPECT_EQ(to_text(Contexts({inputs, 1})), "thread: cpu (100), io (100)\n");
}

TEST(contexts, become_simpler_step_by_step_until_nothing_is_told_apart) {
  const Profile profile = test::profile_from_text(many_threads(10) + "main {thread.name=t0,kind=x} 1");
  const reduce::FlameInput input{&profile, 0};
  Contexts contexts({&input, 1});
  EXPECT_EQ(contexts.facets().size(), 2u);
  ASSERT_TRUE(contexts.simplify());
  EXPECT_EQ(to_text(contexts), "thread: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9\n");
  ASSERT_TRUE(contexts.simplify());
  EXPECT_EQ(to_text(contexts), "thread: t0, t1, t2, t3, (6 others)\n");
  ASSERT_TRUE(contexts.simplify());
  EXPECT_EQ(to_text(contexts), "thread: t0, (9 others)\n");
  EXPECT_EQ(contexts.size(), 2u);
  ASSERT_TRUE(contexts.simplify());
  EXPECT_EQ(contexts.size(), 1u);
  EXPECT_FALSE(contexts.simplify());
}

TEST(contexts, hold_every_sample_of_every_profile) {
  for (const Profile& profile : test::generate_profiles(7)) {
    const reduce::FlameInput input{&profile, 0};
    const Contexts contexts({&input, 1});
    for (size_t row = 0; row < profile.samples.size(); ++row)
      ASSERT_LT(contexts.of(0, profile.samples.labels(row)), contexts.size());
  }
}

}  // namespace atys::format::flame_html
