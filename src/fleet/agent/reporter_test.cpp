// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/reporter.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr const char* kShop = "task: shop\nservice: exe=shop\n";

class Scripted final : public ControllerLink {
 public:
  Result<Orders> report(const AgentReport&) override { return answer; }
  Result<> send(const std::string&) override { return {}; }

  Result<Orders> answer = Orders{};
};

class AReporter : public testing::Test {
 protected:
  test::ScratchFolder folder;
  Scripted controller;
  Reporter reporter{controller, folder.path() + "/orders.bin"};
};

}  // namespace

TEST_F(AReporter, orders_come_with_the_answer_and_outlive_a_restart) {
  EXPECT_FALSE(reporter.state().is_connected);
  controller.answer = Orders{.tasks = {kShop}, .rate_factor = 0.5, .report_again_ns = 7'000'000'000};
  const Reporter::Round round = reporter.report({});
  ASSERT_TRUE(round.orders);
  EXPECT_EQ(round.orders->rate_factor, 0.5);
  EXPECT_EQ(round.again_after_ns, 7'000'000'000u);
  EXPECT_LE(round.before.boot_ns, round.after.boot_ns);
  EXPECT_TRUE(reporter.state().is_connected);
  const Reporter later(controller, folder.path() + "/orders.bin");
  ASSERT_EQ(later.tasks().size(), 1u);
  EXPECT_EQ(later.tasks().front().name, "shop");
}

TEST_F(AReporter, a_controller_that_is_away_is_asked_less_and_less_often_and_its_orders_stand) {
  controller.answer = Orders{.tasks = {kShop}};
  (void)reporter.report({});
  controller.answer = fail(ErrorCode::Unavailable, "nobody there", "start it");
  const uint64_t first = reporter.report({}).again_after_ns, second = reporter.report({}).again_after_ns;
  EXPECT_EQ(second, 2 * first);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(reporter.report({}).orders);
  EXPECT_EQ(reporter.report({}).again_after_ns, 30'000'000'000u);
  EXPECT_FALSE(reporter.state().is_connected);
  EXPECT_EQ(reporter.state().trouble, "nobody there; start it");
  EXPECT_EQ(reporter.tasks().size(), 1u);
  controller.answer = Orders{};
  (void)reporter.report({});
  EXPECT_EQ(reporter.state().trouble, "");
  controller.answer = fail(ErrorCode::Unavailable, "nobody there");
  EXPECT_EQ(reporter.report({}).again_after_ns, first) << "as if for the first time";
}

TEST_F(AReporter, nobody_is_asked_more_often_than_once_a_second) {
  controller.answer = Orders{.report_again_ns = 1};
  EXPECT_EQ(reporter.report({}).again_after_ns, 1'000'000'000u);
}

TEST_F(AReporter, orders_that_are_not_understood_are_told) {
  controller.answer = Orders{.tasks = {"]["}};
  (void)reporter.report({});
  EXPECT_EQ(reporter.state().not_understood.size(), 1u);
}

}  // namespace atys::fleet
