// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/work_pace.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace atys::fleet {

namespace {

using Work = WorkPace::Work;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSecond = 1000 * kMs;

// A machine whose clocks we turn; 1 % of a core may be spent.
struct Machine {
  uint64_t now_ns = 100 * kSecond;
  uint64_t spent_ns = 7 * kSecond;
  WorkPace pace{0.01, {[this] { return now_ns; }, [this] { return spent_ns; }}};

  // How long a piece of work waits for its turn.
  uint64_t wait(WorkPace::Turn& turn) {
    const uint64_t began = now_ns;
    while (!turn.has_come()) now_ns += 10 * kMs;
    return now_ns - began;
  }
};

}  // namespace

TEST(work_pace, what_costs_much_is_followed_by_as_long_a_pause_as_pays_for_it) {
  Machine machine;
  const uint64_t began = machine.now_ns;
  uint64_t spent = 0;
  for (int i = 0; i < 6; ++i) {
    WorkPace::Turn turn(machine.pace, Work::Begin, 600 * kSecond);
    machine.wait(turn);
    // Never more than what one piece costs ahead of the budget.
    EXPECT_LE(static_cast<double>(spent), 0.01 * static_cast<double>(machine.now_ns - began) + 1) << i;
    machine.spent_ns += 80 * kMs;
    spent += 80 * kMs;
  }
  EXPECT_GE(machine.now_ns - began, 5 * 8 * kSecond);
  EXPECT_LE(machine.now_ns - began, 41 * kSecond);
}

TEST(work_pace, quiet_hours_save_no_more_than_a_little) {
  Machine machine;
  machine.now_ns += 3600 * kSecond;
  for (int i = 0; i < 2; ++i) {
    WorkPace::Turn turn(machine.pace, Work::Begin, 600 * kSecond);
    EXPECT_EQ(machine.wait(turn) > 0, i > 0);
    machine.spent_ns += 50 * kMs;
  }
}

TEST(work_pace, one_works_at_a_time_in_the_order_in_which_they_came) {
  Machine machine;
  machine.now_ns += kSecond;
  auto first = std::make_unique<WorkPace::Turn>(machine.pace, Work::Begin, kSecond);
  auto second = std::make_unique<WorkPace::Turn>(machine.pace, Work::Begin, kSecond);
  auto third = std::make_unique<WorkPace::Turn>(machine.pace, Work::Begin, kSecond);
  EXPECT_FALSE(second->has_come());
  EXPECT_TRUE(first->has_come());
  EXPECT_TRUE(first->has_come()) << "it stays so";
  machine.now_ns += 10 * kSecond;
  EXPECT_FALSE(second->has_come());
  second.reset();  // it is told to end while it waits
  EXPECT_FALSE(third->has_come());
  first.reset();
  EXPECT_TRUE(third->has_come());
}

TEST(work_pace, who_is_at_work_goes_before_who_wants_to_begin) {
  Machine machine;
  machine.spent_ns += 200 * kMs;
  WorkPace::Turn begins(machine.pace, Work::Begin, 60 * kSecond);
  EXPECT_FALSE(begins.has_come());
  auto names = std::make_unique<WorkPace::Turn>(machine.pace, Work::Names, 5 * kSecond);
  EXPECT_EQ(machine.wait(*names), 5 * kSecond) << "behind who has waited for longer, it would have to wait for as long";
  EXPECT_FALSE(begins.has_come());
  names.reset();
  EXPECT_EQ(machine.wait(begins), 15 * kSecond + 10 * kMs);
}

TEST(work_pace, tells_what_it_cost_to_begin_apart) {
  Machine machine;
  machine.now_ns += kSecond;
  for (const Work work : {Work::Begin, Work::FirstNames, Work::Names}) {
    WorkPace::Turn turn(machine.pace, work, 60 * kSecond);
    machine.wait(turn);
    machine.spent_ns += 30 * kMs;
  }
  machine.spent_ns += 500 * kMs;
  EXPECT_EQ(machine.pace.begun_for_ns(), 60 * kMs);
}

// Long work goes on in slices: never more than one ahead of the budget, and no longer a pause than pays for it.
TEST(work_pace, long_work_is_spread) {
  Machine machine;
  const uint64_t began = machine.now_ns;
  uint64_t spent = 0;
  for (; spent < 300 * kMs; spent += 3 * kMs) {
    machine.now_ns += machine.pace.rest_ns();
    EXPECT_EQ(machine.pace.rest_ns(), 0u);
    EXPECT_LE(static_cast<double>(spent), 0.01 * static_cast<double>(machine.now_ns - began) + 1);
    machine.spent_ns += 3 * kMs;
  }
  EXPECT_LE(machine.now_ns - began, 30 * kSecond);
  EXPECT_GT(machine.pace.rest_ns(), 0u);
  machine.pace.end();
  EXPECT_EQ(machine.pace.rest_ns(), 0u) << "who is told to end does not rest";
}

// One that reads a large binary rests for most of a minute: the windows of all others go on meanwhile.
TEST(work_pace, windows_go_on_beside_long_work) {
  Machine machine;
  machine.now_ns += kSecond;
  WorkPace::Turn large(machine.pace, Work::FirstNames, kSecond);
  ASSERT_TRUE(large.has_come());
  WorkPace::Turn begins(machine.pace, Work::Begin, 5 * kSecond);
  WorkPace::Turn names(machine.pace, Work::Names, 5 * kSecond);
  EXPECT_FALSE(names.has_come());
  EXPECT_EQ(machine.wait(names), 5 * kSecond);
  EXPECT_TRUE(names.has_come()) << "it stays so";
  EXPECT_TRUE(large.has_come());
  EXPECT_FALSE(begins.has_come()) << "what costs much is done one after the other";
}

TEST(work_pace, late_is_better_than_never) {
  Machine machine;
  machine.spent_ns += 100 * kSecond;
  WorkPace::Turn turn(machine.pace, Work::Begin, 30 * kSecond);
  EXPECT_EQ(machine.wait(turn), 30 * kSecond);
}

}  // namespace atys::fleet
