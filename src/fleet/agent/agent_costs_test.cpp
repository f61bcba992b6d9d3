// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent_costs.h"

#include <gtest/gtest.h>

#include <thread>

namespace atys::fleet {

namespace {

constexpr AgentBudgetPlan kPlan{.cpu = 0.01, .memory_bytes = uint64_t{1} << 40};

}  // namespace

TEST(agent_costs, rates_follow_the_controller_from_the_next_update_on) {
  AgentCosts costs(kPlan);
  costs.set_ordered_factor(0.5);
  EXPECT_EQ(costs.figures().rate_factor, 1);
  EXPECT_EQ(costs.update(0).rate_factor, 0.5);
  EXPECT_EQ(costs.figures().rate_factor, 0.5);
}

TEST(agent_costs, what_windows_tell_of_the_kernel_is_spent_as_well) {
  AgentCosts costs(kPlan);
  costs.add_kernel_cpu(3'000'000'000'000);
  EXPECT_GE(costs.spent_ns(), 3'000'000'000'000u);
}

TEST(agent_costs, the_smallest_memory_that_a_task_asks_for_is_kept) {
  AgentCosts costs(kPlan);
  EXPECT_FALSE(costs.update(0).shed_memory);
  EXPECT_TRUE(costs.update(1).shed_memory) << "no process has one byte";
}

// One thread updates, others ask, as the ticker and those who scrape metrics do.
TEST(agent_costs, are_updated_by_one_thread_while_others_read_them) {
  AgentCosts costs(kPlan);
  std::thread reader([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_GE(costs.figures().cpu_share, 0);
  });
  std::thread runner([&] {
    for (int i = 0; i < 1000; ++i) costs.add_kernel_cpu(1);
  });
  for (int i = 0; i < 1000; ++i) costs.update(static_cast<uint64_t>(i));
  reader.join();
  runner.join();
  EXPECT_GT(costs.figures().cpu_share, 0);
}

}  // namespace atys::fleet
