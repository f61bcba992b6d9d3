// SPDX-License-Identifier: Apache-2.0
#include "capture/accounts/true_sums.h"

#include <gtest/gtest.h>

namespace atys::capture {
namespace {

constexpr uint64_t kMs = 1'000'000;

double sum(const std::vector<SampledTime>& rows, const std::vector<double>& factors, pid_t pid, SampledWhat what) {
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].pid == pid && rows[i].what == what) sum += static_cast<double>(rows[i].weight) * factors[i];
  return sum;
}

TEST(true_sums, give_each_process_the_time_that_the_kernel_accounts_for_it) {
  const std::vector<SampledTime> rows = {{.pid = 1, .tid = 1, .samples = 60, .weight = 600 * kMs},
                                         {.pid = 1, .tid = 2, .samples = 40, .weight = 400 * kMs},
                                         {.pid = 2, .tid = 2, .samples = 100, .weight = 1000 * kMs}};
  const auto factors = true_factors(rows, {.cpu_ns = {{1, 900 * kMs}, {2, 1100 * kMs}}});
  EXPECT_DOUBLE_EQ(sum(rows, factors, 1, SampledWhat::Cpu), 900.0 * kMs);
  EXPECT_DOUBLE_EQ(sum(rows, factors, 2, SampledWhat::Cpu), 1100.0 * kMs);
  EXPECT_EQ(factors[0], factors[1]) << "shares within a process stay what they are";
}

TEST(true_sums, let_processes_with_few_samples_stand_for_those_with_none) {
  const std::vector<SampledTime> rows = {{.pid = 1, .tid = 1, .samples = 1, .weight = 10 * kMs},
                                         {.pid = 2, .tid = 2, .samples = 3, .weight = 30 * kMs}};
  const auto factors = true_factors(rows, {.cpu_ns = {{1, 4 * kMs}, {2, 20 * kMs}, {3, 6 * kMs}, {4, 30 * kMs}}});
  EXPECT_EQ(factors[0], factors[1]);
  EXPECT_DOUBLE_EQ(sum(rows, factors, 1, SampledWhat::Cpu) + sum(rows, factors, 2, SampledWhat::Cpu), 60.0 * kMs);
}

TEST(true_sums, leave_alone_what_nobody_counted) {
  const std::vector<SampledTime> rows = {{.pid = 1, .tid = 1, .samples = 100, .weight = 10 * kMs},
                                         {.pid = 2, .tid = 2, .samples = 100, .weight = 30 * kMs}};
  EXPECT_EQ(true_factors(rows, {}), (std::vector<double>{1, 1}));
  EXPECT_EQ(true_factors(rows, {.cpu_ns = {{1, 5 * kMs}}}), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(true_factors({}, {.cpu_ns = {{1, 5 * kMs}}, .waited_ns = {{{1, 1}, 7}}, .events = 8}), std::vector<double>{});
}

TEST(true_sums, take_the_time_of_all_where_it_is_not_known_of_each) {
  const std::vector<SampledTime> rows = {{.pid = 1, .tid = 1, .samples = 10, .weight = 100 * kMs},
                                         {.pid = 2, .tid = 2, .samples = 30, .weight = 300 * kMs}};
  EXPECT_EQ(true_factors(rows, {.all_cpu_ns = 500 * kMs}), (std::vector<double>{1.25, 1.25}));
  EXPECT_EQ(true_factors(rows, {.all_cpu_ns = 200 * kMs}), (std::vector<double>{1, 1})) << "some were not waited for";
}

TEST(true_sums, never_take_from_weights_that_are_exact) {
  const std::vector<SampledTime> rows = {{1, 1, SampledWhat::Cpu, 10, 120 * kMs}, {2, 2, SampledWhat::Cpu, 5, 30 * kMs}};
  EXPECT_EQ(true_factors(rows, {.all_cpu_ns = 300 * kMs, .is_weight_exact = true}), (std::vector<double>{2, 2}));
  // A grandchild that nobody waited for is in no account; few samples would make it look like chance.
  EXPECT_EQ(true_factors(rows, {.all_cpu_ns = 120 * kMs, .is_weight_exact = true}), (std::vector<double>{1, 1}));
  EXPECT_EQ(true_factors(rows, {.all_cpu_ns = 120 * kMs}), (std::vector<double>{0.8, 0.8}));
}

TEST(true_sums, give_processes_that_ended_what_they_used_in_all) {
  CountedTime counted{.cpu_ns = {{1, 10 * kMs}, {2, 30 * kMs}, {3, 500 * kMs}}, .all_cpu_ns = 48 * kMs};
  complete({3}, counted);
  EXPECT_EQ(counted.cpu_ns, (std::map<pid_t, uint64_t>{{1, 12 * kMs}, {2, 36 * kMs}, {3, 500 * kMs}}));
  CountedTime other{.cpu_ns = {{1, 10 * kMs}}, .all_cpu_ns = 480 * kMs};
  complete({}, other);
  EXPECT_EQ(other.cpu_ns.at(1), 10 * kMs) << "that is no tick";
}

TEST(true_sums, count_events_and_waits) {
  const std::vector<SampledTime> events = {{.pid = 1, .tid = 1, .what = SampledWhat::Event, .samples = 9, .weight = 300},
                                           {.pid = 1, .tid = 1, .what = SampledWhat::Event, .samples = 1, .weight = 100}};
  EXPECT_EQ(true_factors(events, {.events = 800}), (std::vector<double>{2, 2}));
  // A kernel that looks for the period guesses a million times too much before it has found it.
  EXPECT_EQ(true_factors(events, {.events = 4}), (std::vector<double>{0.01, 0.01}));
  const std::vector<SampledTime> waits = {
      {.pid = 1, .tid = 1, .what = SampledWhat::Wait, .samples = 3, .weight = 300 * kMs},
      {.pid = 1, .tid = 2, .what = SampledWhat::Wait, .samples = 3, .weight = 100 * kMs},
      {.pid = 1, .tid = 1, .what = SampledWhat::Waker, .samples = 9, .weight = 100 * kMs}};
  EXPECT_EQ(true_factors(waits, {.waited_ns = {{{1, 1}, 150 * kMs}, {{1, 2}, 40 * kMs}, {{1, 3}, 10 * kMs}}}),
            (std::vector<double>{0.5, 0.5, 1}))
      << "threads with few samples share what they have in common, and the one that has none";
}

TEST(true_sums, give_each_thread_its_own_waits) {
  const std::vector<SampledTime> waits = {
      {.pid = 1, .tid = 1, .what = SampledWhat::Wait, .samples = 90, .weight = 300 * kMs},
      {.pid = 1, .tid = 2, .what = SampledWhat::Wait, .samples = 90, .weight = 100 * kMs}};
  EXPECT_EQ(true_factors(waits, {.waited_ns = {{{1, 1}, 330 * kMs}, {{1, 2}, 90 * kMs}}}), (std::vector<double>{1.1, 0.9}));
}

TEST(true_sums, give_no_thread_more_time_than_has_passed) {
  const std::vector<SampledTime> rows = {
      {.pid = 1, .tid = 1, .samples = 100, .weight = 900 * kMs},
      {.pid = 1, .tid = 1, .what = SampledWhat::Wait, .samples = 100, .weight = 300 * kMs},
      {.pid = 1, .tid = 1, .what = SampledWhat::Waker, .samples = 100, .weight = 5000 * kMs},
      {.pid = 1, .tid = 2, .samples = 100, .weight = 900 * kMs}};
  const auto factors = true_factors(rows, {.lasted_ns = 1000 * kMs});
  EXPECT_DOUBLE_EQ(900 * factors[0] + 300 * factors[1], 1000);
  EXPECT_EQ(factors[2], 1) << "what others waited for it is no time of its own";
  EXPECT_EQ(factors[3], 1);
}

}  // namespace
}  // namespace atys::capture
