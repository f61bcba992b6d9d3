// SPDX-License-Identifier: Apache-2.0
#include "budget/overhead_guard.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace atys::budget {
namespace {

constexpr uint64_t kInterval = 100'000'000;

// A machine where a sample costs `ns_per_sample`, with `cores` busy cores of the target.
struct Machine {
  double ns_per_sample = 5000;
  double cores = 1;
  uint64_t setup_ns = 0;
};

struct Outcome {
  double overhead = 0;
  double recent = 0;
  double last_hz = 0;
  size_t grants = 0;
};

Outcome run(const OverheadPlan& plan, const Machine& machine, int intervals) {
  OverheadGuard guard(plan);
  OverheadReading reading{.own_cpu_ns = machine.setup_ns};
  double hz = guard.first_hz();
  double taken = 0;
  for (int i = 0; i < intervals; ++i) {
    const double samples = hz * machine.cores * static_cast<double>(kInterval) / 1e9;
    reading.elapsed_ns += kInterval;
    reading.target_cpu_ns += static_cast<uint64_t>(static_cast<double>(kInterval) * machine.cores);
    taken += samples;
    reading.samples = static_cast<uint64_t>(taken);
    reading.own_cpu_ns += static_cast<uint64_t>(samples * machine.ns_per_sample);
    hz = guard.update(reading);
  }
  return {guard.overhead(reading), guard.recent_overhead(), hz, guard.grants().size()};
}

TEST(overhead_guard, grants_what_is_asked_when_it_is_cheap) {
  const Outcome outcome = run({.cap = 0.01, .asked_hz = 99}, {}, 100);
  EXPECT_EQ(outcome.last_hz, 99);
  EXPECT_EQ(outcome.grants, 1u);
}

TEST(overhead_guard, stays_under_the_cap_whatever_a_sample_costs) {
  for (const double cost : {500.0, 5000.0, 50'000.0, 200'000.0})
    for (const double cores : {0.2, 1.0, 8.0})
      for (const double cap : {0.001, 0.005, 0.01}) {
        const OverheadPlan plan{.cap = cap, .asked_hz = 9999, .duration_ns = 300 * kInterval};
        const Outcome outcome = run(plan, {.ns_per_sample = cost, .cores = cores}, 300);
        // The lowest rate is never gone below.
        const double at_lowest = 19 * (cost + 1500) * cores / std::max(cores, 1.0) / 1e9;
        EXPECT_LE(outcome.overhead, std::max(cap, 1.1 * at_lowest))
            << cost << " ns a sample, " << cores << " cores, cap " << cap;
        EXPECT_GT(outcome.overhead, 0);
      }
}

TEST(overhead_guard, uses_most_of_what_it_may) {
  const Outcome outcome = run({.cap = 0.01, .asked_hz = 9999}, {.ns_per_sample = 20'000, .cores = 2}, 300);
  EXPECT_GT(outcome.overhead, 0.005);
  EXPECT_LE(outcome.overhead, 0.01);
}

TEST(overhead_guard, pays_for_an_expensive_start_later) {
  const OverheadPlan plan{.cap = 0.01, .asked_hz = 999, .duration_ns = 200 * kInterval};
  const Outcome outcome = run(plan, {.ns_per_sample = 5000, .cores = 1, .setup_ns = 150'000'000}, 200);
  EXPECT_LE(outcome.overhead, 0.01);
}

TEST(overhead_guard, tells_what_it_costs_lately_from_what_its_beginning_cost) {
  const Outcome outcome =
      run({.cap = 0.01, .asked_hz = 99}, {.ns_per_sample = 5000, .cores = 1, .setup_ns = 20'000'000}, 50);
  EXPECT_GT(outcome.overhead, 0.004);
  EXPECT_LT(outcome.recent, 0.001);
  EXPECT_GT(outcome.recent, 0.0004);
}

TEST(overhead_guard, another_rate_is_gone_down_to_at_once_and_up_to_as_it_can_be_afforded) {
  OverheadGuard guard({.cap = 0.01, .asked_hz = 99});
  EXPECT_EQ(guard.ask(kInterval, 19), 19);
  double hz = guard.ask(2 * kInterval, 999);
  EXPECT_EQ(hz, OverheadGuard({.cap = 0.01, .asked_hz = 999}).first_hz()) << "as at a beginning";
  OverheadReading reading;
  for (int i = 0; i < 100; ++i) {
    reading.elapsed_ns += 10 * kInterval;
    reading.target_cpu_ns = reading.elapsed_ns;
    reading.samples += static_cast<uint64_t>(hz);
    reading.own_cpu_ns += static_cast<uint64_t>(hz * 30'000);
    hz = guard.update(reading);
  }
  EXPECT_GT(hz, 200);
  EXPECT_LT(hz, 340) << "more than 1 % at 31.5 µs a sample";
  EXPECT_LE(guard.overhead(reading), 0.01);
}

TEST(overhead_guard, a_higher_rate_is_not_granted_where_the_cap_is_reached_already) {
  OverheadGuard guard({.cap = 0.01, .asked_hz = 19});
  guard.update({.elapsed_ns = 100 * kInterval, .own_cpu_ns = kInterval, .target_cpu_ns = 100 * kInterval, .samples = 100});
  EXPECT_EQ(guard.ask(100 * kInterval, 999), 19);
}

TEST(overhead_guard, survives_readings_that_do_not_move) {
  OverheadGuard guard({.cap = 0.01, .asked_hz = 999});
  const double hz = guard.first_hz();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guard.update({}), hz);
}

}  // namespace
}  // namespace atys::budget
