// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/control.h"

#include <gtest/gtest.h>

#include <limits>

namespace atys::fleet {

namespace {

AgentReport report() {
  return {
      .node = "web-1",
      .sender = std::string(16, '\1'),
      .version = "0.1.0",
      .metrics_address = "10.0.0.1:9465",
      .labels = {{"rack", "7"}, {"zone", ""}},
      .tasks = {{.task = "shop", .instances = 3, .hz = 9.5, .windows = 12, .overhead = 0.004, .trouble = "no rights"}, {}},
      .spooled_bytes = 1,
      .dropped_windows = 2,
      .cpu_ns = 3,
      .memory_bytes = 4,
      .started_ns = 5,
      .now_ns = 6,
      .is_clock_synchronized = true,
      .trouble = "windows wait",
      .dropped_by = {{"no_room", 1}, {"too_old", 1}}};
}

}  // namespace

TEST(control, what_is_written_is_read) {
  EXPECT_EQ(*decode_report(encode(report())), report());
  const Orders orders{
      .tasks = {"task: a", ""}, .rate_factor = 0.25, .report_again_ns = 7, .now_ns = 8, .is_clock_synchronized = true};
  EXPECT_EQ(*decode_orders(encode(orders)), orders);
}

TEST(control, nonsense_is_refused) {
  AgentReport nameless = report();
  nameless.node.clear();
  EXPECT_FALSE(decode_report(encode(nameless)).ok());
  AgentReport stranger = report();
  stranger.sender = "short";
  EXPECT_FALSE(decode_report(encode(stranger)).ok());
  AgentReport endless = report();
  endless.tasks[0].hz = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(decode_report(encode(endless)).ok());
  AgentReport crowded = report();
  crowded.tasks.resize(2000);
  EXPECT_FALSE(decode_report(encode(crowded)).ok());
  EXPECT_FALSE(decode_orders(encode(Orders{.rate_factor = -1})).ok());
  EXPECT_FALSE(decode_orders("").ok());
}

TEST(control, bytes_that_are_cut_are_an_error_or_a_shorter_message) {
  const std::string bytes = encode(report());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result<AgentReport> part = decode_report(std::string_view(bytes).substr(0, length));
    EXPECT_TRUE(!part.ok() || part->node == "web-1") << length;
  }
}

}  // namespace atys::fleet
