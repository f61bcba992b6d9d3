// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent_budget.h"

#include <gtest/gtest.h>

namespace atys::fleet {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// An agent whose cost follows the rate that it is allowed.
class Simulated {
 public:
  AgentBudget::Order second(double share_at_full_rate, uint64_t memory = 1000000) {
    now_ += kSecond;
    cpu_ += static_cast<uint64_t>(share_at_full_rate * last_.rate_factor * static_cast<double>(kSecond));
    return last_ = budget_.update({now_, cpu_, memory});
  }
  AgentBudget::Order seconds(int count, double share, uint64_t memory = 1000000) {
    for (int i = 0; i < count; ++i) second(share, memory);
    return last_;
  }
  void begin() { budget_.begin(now_); }
  const AgentBudget& budget() const { return budget_; }

 private:
  AgentBudget budget_{{.cpu = 0.01, .memory_bytes = 100000000}};
  AgentBudget::Order last_;
  uint64_t now_ = 0;
  uint64_t cpu_ = 0;
};

}  // namespace

TEST(agent_budget, leaves_rates_alone_that_it_can_afford) {
  Simulated agent;
  EXPECT_EQ(agent.seconds(600, 0.005).rate_factor, 1);
}

TEST(agent_budget, brings_the_whole_below_the_cap_and_keeps_it_there) {
  Simulated agent;
  agent.seconds(300, 0.05);
  for (int i = 0; i < 300; ++i) {
    agent.second(0.05);
    EXPECT_LE(agent.budget().cpu_share(), 0.0115);
  }
}

TEST(agent_budget, says_what_was_used_in_the_last_minute_from_the_first_second_on) {
  Simulated agent;
  agent.begin();
  agent.second(0.2);
  EXPECT_NEAR(agent.budget().cpu_share(), 0.2, 1e-9) << "the start is not hidden in a mean";
  agent.seconds(9, 0);
  EXPECT_NEAR(agent.budget().cpu_share(), 0.02, 1e-9);
  agent.seconds(50, 0);
  EXPECT_NEAR(agent.budget().cpu_share(), 0.2 / 60, 1e-9);
  agent.seconds(2, 0);
  EXPECT_EQ(agent.budget().cpu_share(), 0);
}

TEST(agent_budget, one_busy_second_is_no_reason_to_slow_down) {
  Simulated agent;
  agent.seconds(60, 0.002);
  EXPECT_EQ(agent.second(0.2).rate_factor, 1);
}

TEST(agent_budget, a_busy_start_is_over_when_it_is_over) {
  Simulated agent;
  agent.seconds(3, 1);
  EXPECT_GT(agent.seconds(10, 0.001).rate_factor, 0.3);
}

TEST(agent_budget, bursts_that_are_too_much_on_the_whole_slow_it_down) {
  Simulated agent;
  for (int window = 0; window < 60; ++window) {
    agent.second(0.3);
    agent.seconds(9, 0.001);
  }
  EXPECT_LT(agent.budget().cpu_share(), 0.02);
}

TEST(agent_budget, rates_come_back_when_there_is_room_again) {
  Simulated agent;
  EXPECT_LT(agent.seconds(120, 0.1).rate_factor, 0.5);
  EXPECT_EQ(agent.seconds(300, 0.001).rate_factor, 1);
}

TEST(agent_budget, above_the_memory_budget_it_sheds_once_then_pauses_then_tries_again) {
  Simulated agent;
  agent.seconds(10, 0.001);
  EXPECT_TRUE(agent.second(0.001, 200000000).shed_memory);
  EXPECT_FALSE(agent.second(0.001, 200000000).shed_memory);
  EXPECT_EQ(agent.seconds(35, 0.001, 200000000).rate_factor, 0);
  EXPECT_GT(agent.seconds(120, 0.001, 1000000).rate_factor, 0);
}

}  // namespace atys::fleet
