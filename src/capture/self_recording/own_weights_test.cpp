// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_weights.h"

#include <gtest/gtest.h>

namespace atys::capture {
namespace {

using Native = std::map<pid_t, int64_t>;
using Sums = std::map<pid_t, OwnSum>;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr int64_t kS = 1'000'000'000;

// Four seconds of a process with threads 7 and 8, which are there from the first to the last, and of 9, which began late.
ProcessTimes four_seconds() {
  return {.lasted_ns = 4 * kSecond,
          .since_first_ns = 4 * kSecond,
          .cpu_ns = 3 * kSecond,
          .threads = {{7, {2 * kSecond, 4 * kSecond}}, {8, {kSecond / 2, 4 * kSecond}}, {9, {0, kSecond}}}};
}

TEST(own_weights, of_cpu_are_what_the_kernel_accounted_whatever_the_runtime_or_a_sampler_says) {
  const OwnWeights weights = weigh({{7, {100, 9 * kS}}, {8, {1, 1}}}, "cpu", four_seconds(), {{7, 22 * kS}, {8, 5}});
  EXPECT_EQ(weights.threads, (Native{{7, 2 * kS}, {8, kS / 2}}));
  EXPECT_TRUE(weights.cut.empty());
}

TEST(own_weights, of_cpu_leave_threads_that_ended_what_they_left_with_their_process) {
  const Sums sums{{7, {100, 2 * kS}}, {50, {3, kS}}, {kUnknownThread, {1, kS}}};
  const OwnWeights weights = weigh(sums, "cpu", four_seconds(), {{50, 40 * kS}});
  EXPECT_EQ(weights.others, kS / 2) << "3 of all, less 2.5 of those that are there";
  EXPECT_FALSE(weights.threads.contains(50));
}

TEST(own_weights, of_cpu_of_a_process_that_ended_are_what_was_sampled_natively) {
  ProcessTimes times = four_seconds();
  times.cpu_ns.reset();
  times.threads.clear();
  EXPECT_EQ(weigh({{7, {100, 9 * kS}}}, "cpu", times, {{7, kS}, {8, kS}}).others, 2 * kS);
  const OwnWeights alone = weigh({{7, {100, 9 * kS}}, {8, {1, 5}}}, "cpu", times, {});
  EXPECT_EQ(alone.others, std::nullopt);
  EXPECT_EQ(alone.threads, (Native{{7, 4 * kS}})) << "no thread has more than was recorded";
  EXPECT_EQ(alone.cut, (Native{{7, 9 * kS}}));
}

TEST(own_weights, of_wall_are_how_long_there_was_a_thread) {
  const Sums sums{{7, {1, 22 * kS}}, {8, {100, kS}}, {9, {5, 3 * kS}}};
  const OwnWeights weights = weigh(sums, "wall", four_seconds(), {{7, 22 * kS}});
  EXPECT_EQ(weights.threads, (Native{{7, 4 * kS}, {8, 4 * kS}, {9, kS}}));
  EXPECT_TRUE(weights.cut.empty());
}

TEST(own_weights, of_wall_of_a_thread_that_ended_are_never_more_than_was_recorded) {
  const Sums sums{{50, {1, 2 * kS}}, {51, {1, 9 * kS}}, {52, {1, 9 * kS}}, {53, {1, kS}}};
  const OwnWeights weights = weigh(sums, "wall", four_seconds(), {{50, kS}, {51, 7 * kS}});
  EXPECT_EQ(weights.threads, (Native{{50, kS}, {51, 4 * kS}, {52, 4 * kS}}));
  EXPECT_EQ(weights.cut, (Native{{52, 9 * kS}})) << "of 50 and 51 something better is known than what they say";
}

TEST(own_weights, of_locks_are_the_runtime_s_own_as_far_as_they_can_be) {
  ProcessTimes times = four_seconds();
  const Sums sums{{7, {10, 3 * kS}}, {8, {10, 7 * kS}}};
  EXPECT_EQ(weigh(sums, "lock", times, {}).threads, (Native{{8, 4 * kS}}));
  times.since_first_ns = 20 * kSecond;
  EXPECT_TRUE(weigh(sums, "lock", times, {}).threads.empty()) << "it began to wait in a window before";
}

TEST(own_weights, of_what_is_no_time_are_the_runtime_s_own) {
  const OwnWeights weights = weigh({{7, {10, 90 * kS}}}, "alloc_space", four_seconds(), {{7, kS}});
  EXPECT_TRUE(weights.threads.empty());
  EXPECT_EQ(weights.others, std::nullopt);
}

TEST(own_weights, where_nobody_looked_are_what_was_sampled_natively) {
  EXPECT_EQ(weigh({{7, {10, kS}}}, "cpu", {}, {{7, 2 * kS}, {8, kS}}).others, 3 * kS);
  EXPECT_EQ(weigh({{7, {10, kS}}}, "cpu", {}, {}).others, std::nullopt);
}

TEST(own_weights, are_by_the_thread_of_the_label) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  const auto add = [&](std::vector<profile::LabelId> labels, int64_t count, int64_t weight) {
    profile.samples.add(profile.stacks.intern(std::vector<profile::FrameId>{profile.named_frame("f")}),
                        profile.label_set(std::move(labels)), std::vector<int64_t>{count, weight});
  };
  add({profile.int_label("thread.id", 7), profile.string_label("thread.name", "a")}, 1, 10);
  add({profile.int_label("thread.id", 7), profile.string_label("thread.name", "b")}, 2, 20);
  add({profile.int_label("thread.id", -7)}, 1, 1);
  add({profile.int_label("thread.id", int64_t{1} << 40)}, 1, 2);
  add({profile.string_label("thread.name", "c")}, 1, 4);
  const Sums sums = sums_by_thread(profile, {"samples", "cpu"});
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums.at(7).weight, 30);
  EXPECT_EQ(sums.at(7).samples, 3);
  EXPECT_EQ(sums.at(kUnknownThread).weight, 7);
  EXPECT_TRUE(sums_by_thread(profile, {"samples", "wall"}).empty());
}

}  // namespace
}  // namespace atys::capture
