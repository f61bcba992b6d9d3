// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/agent.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "support/scratch_folder.h"

namespace atys::fleet {

// Who scrapes does so at any time: with the thread sanitizer this fails where the two share what neither may touch alone.
TEST(agent, tells_its_metrics_while_it_keeps_its_budget) {
  const test::ScratchFolder folder;
  auto agent = Agent::start({.node = "n1", .data_folder = folder.path() + "/agent"}, nullptr);
  ASSERT_TRUE(agent.ok()) << agent.error().message;
  std::array<std::thread, 3> scrapers;
  for (std::thread& scraper : scrapers)
    scraper = std::thread([&agent] {
      while ((*agent)->status().cpu_share <= 0) std::this_thread::yield();  // until the budget was looked at
    });
  for (std::thread& scraper : scrapers) scraper.join();
  const AgentStatus status = (*agent)->status();
  EXPECT_EQ(status.report.node, "n1");
  EXPECT_GT(status.report.cpu_ns, 0u);
  EXPECT_FALSE(status.is_connected);
}

}  // namespace atys::fleet
