// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/task_book.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <fstream>

#include "fleet/controller/node_registry.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr int64_t kNow = 1'790'000'000'000'000'000;
constexpr int64_t kHour = 3'600'000'000'000;

TaskBook open(const std::string& folder) {
  std::vector<std::string> problems;
  auto book = TaskBook::open(folder, problems);
  CHECK(book.ok() && problems.empty());
  return book.take();
}

}  // namespace

TEST(task_book, tasks_survive_the_controller) {
  const test::ScratchFolder folder;
  {
    TaskBook book = open(folder.path());
    ASSERT_TRUE(book.apply("# mine\ntask: a\nservice: shop\n", "a.yaml", kNow).ok());
    ASSERT_TRUE(book.apply("task: b\nservice: cart\n", "b.yaml", kNow).ok());
    ASSERT_TRUE(book.stop("b").ok());
  }
  const TaskBook book = open(folder.path());
  ASSERT_EQ(book.list().size(), 2u);
  EXPECT_EQ(book.find("a")->text, "# mine\ntask: a\nservice: shop\n");
  EXPECT_EQ(book.find("a")->applied_ns, kNow);
  EXPECT_EQ(book.find("a")->phase(kNow), TaskPhase::Running);
  EXPECT_EQ(book.find("b")->phase(kNow), TaskPhase::Stopped);
}

TEST(task_book, applying_again_changes_a_task_and_starts_it) {
  const test::ScratchFolder folder;
  TaskBook book = open(folder.path());
  ASSERT_TRUE(book.apply("task: a\nservice: shop\n", "a", kNow).ok());
  ASSERT_TRUE(book.stop("a").ok());
  EXPECT_TRUE(book.orders_for("web-1", false, kNow).empty());
  ASSERT_TRUE(book.apply("task: a\nservice: cart\n", "a", kNow + 1).ok());
  ASSERT_EQ(book.orders_for("web-1", false, kNow).size(), 1u);
  EXPECT_EQ(parse_task(book.orders_for("web-1", false, kNow)[0], "order")->service, "cart");
  ASSERT_TRUE(book.remove("a").ok());
  EXPECT_TRUE(open(folder.path()).list().empty());
}

TEST(task_book, nodes_get_the_tasks_that_are_for_them_and_controllers_get_all) {
  const test::ScratchFolder folder;
  TaskBook book = open(folder.path());
  ASSERT_TRUE(book.apply("task: a\nservice: shop\nnodes: [\"web-*\"]\n", "a", kNow).ok());
  ASSERT_TRUE(book.apply("task: b\nservice: shop\n", "b", kNow).ok());
  EXPECT_EQ(book.orders_for("web-1", false, kNow).size(), 2u);
  EXPECT_EQ(book.orders_for("db-1", false, kNow).size(), 1u);
  EXPECT_EQ(book.orders_for("site-1", true, kNow).size(), 2u);
}

TEST(task_book, a_task_ends_when_its_time_is_over) {
  const test::ScratchFolder folder;
  TaskBook book = open(folder.path());
  ASSERT_TRUE(book.apply("task: a\nservice: shop\nfor: 1h\n", "a", kNow).ok());
  EXPECT_EQ(book.orders_for("n", false, kNow + kHour - 1).size(), 1u);
  EXPECT_TRUE(book.orders_for("n", false, kNow + kHour).empty());
  EXPECT_EQ(book.find("a")->phase(kNow + kHour), TaskPhase::Ended);
}

TEST(task_book, what_is_wrong_is_said_and_changes_nothing) {
  const test::ScratchFolder folder;
  TaskBook book = open(folder.path());
  ASSERT_TRUE(book.apply("task: checkout\nservice: shop\n", "a", kNow).ok());
  const auto bad = book.apply("task: checkout\nservice: shop\nwindw: 3s\n", "a.yaml", kNow);
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("a.yaml:3"), std::string::npos) << bad.error().message;
  EXPECT_EQ(book.find("checkout")->text, "task: checkout\nservice: shop\n");
  const auto missing = book.find("chekout");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_EQ(missing.error().hint, "did you mean checkout?");
}

TEST(task_book, a_file_that_is_no_task_is_named_and_the_others_are_read) {
  const test::ScratchFolder folder;
  ASSERT_TRUE(open(folder.path()).apply("task: a\nservice: shop\n", "a", kNow).ok());
  std::ofstream(folder.path() + "/b.yaml") << "task: b\nservice: shop\n";
  std::vector<std::string> problems;
  const auto book = TaskBook::open(folder.path(), problems);
  EXPECT_EQ(book->list().size(), 1u);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("b.yaml"), std::string::npos);
}

TEST(task_book, tasks_from_above_are_handed_on_and_are_not_ours_to_change) {
  const test::ScratchFolder folder;
  TaskBook book = open(folder.path());
  book.set_from_above({"task: up\nservice: shop\n", "no task"}, kNow);
  EXPECT_EQ(book.orders_for("n", false, kNow).size(), 1u);
  EXPECT_FALSE(book.stop("up").ok());
  EXPECT_FALSE(book.remove("up").ok());
  EXPECT_FALSE(book.apply("task: up\nservice: cart\n", "x", kNow).ok());
  book.set_from_above({}, kNow);
  EXPECT_TRUE(book.list().empty());
}

TEST(node_registry, knows_who_reports_and_forgets_who_does_not) {
  NodeRegistry nodes;
  AgentReport report{.node = "web-1", .sender = std::string(16, '\1')};
  nodes.add(report, kNow, kNow);
  report.version = "2";
  nodes.add(report, kNow + 5, kNow + 5);
  nodes.add({.node = "web-2", .sender = std::string(16, '\2')}, kNow, kNow + NodeRegistry::kAwayNs);
  const auto list = nodes.list(kNow + NodeRegistry::kAwayNs + 6);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].report.version, "2");
  EXPECT_EQ(list[0].first_ns, kNow);
  EXPECT_EQ(list[0].reports, 2u);
  EXPECT_TRUE(list[0].is_away);
  EXPECT_FALSE(list[1].is_away);
  EXPECT_EQ(nodes.list(kNow + NodeRegistry::kForgottenNs + 6).size(), 1u);
}

TEST(node_registry, is_bounded_and_refuses_nobody) {
  NodeRegistry nodes(100);
  nodes.add({.node = "joined"}, kNow, kNow, true);
  nodes.add({.node = "shared"}, kNow, kNow);
  for (int i = 0; i < 20'000; ++i) {
    nodes.add({.node = "invented " + std::to_string(i)}, kNow, kNow + 1 + i);
    if (i % 50 == 0) nodes.add({.node = "shared"}, kNow, kNow + 1 + i);
  }
  EXPECT_EQ(nodes.size(), 100u);
  EXPECT_GT(nodes.crowded_out(), 19'000u);
  const auto list = nodes.list(kNow + 20'001);
  const auto has = [&](const char* name) {
    return std::any_of(list.begin(), list.end(), [&](const NodeState& one) { return one.report.node == name; });
  };
  EXPECT_TRUE(has("joined")) << "said nothing since, and is known";
  EXPECT_TRUE(has("shared")) << "reports more often than those that are invented once";
}

TEST(node_registry, what_nodes_say_is_bounded_in_sum) {
  NodeRegistry nodes(1000, 100'000);
  for (int i = 0; i < 100; ++i)
    nodes.add({.node = std::to_string(i), .labels = {{"key", std::string(500, 'x')}}}, kNow, kNow + i, i < 90);
  EXPECT_EQ(nodes.size(), 90u + 10u) << "it is labels that go, not nodes";
  NodeRegistry strangers(1000, 100'000);
  for (int i = 0; i < 1000; ++i)
    strangers.add({.node = std::to_string(i), .labels = {{"key", std::string(500, 'x')}}}, kNow, kNow + i);
  EXPECT_LT(strangers.size(), 200u);
}

TEST(node_registry, who_is_away_is_told_by_a_clock_that_nobody_sets) {
  constexpr int64_t kDay = 86'400'000'000'000;
  NodeRegistry nodes;
  nodes.add({.node = "web-1"}, kNow, 1000);
  nodes.add({.node = "web-2", .now_ns = static_cast<uint64_t>(kNow)}, kNow + 400 * kDay, 1001);
  const auto list = nodes.list(1002);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_FALSE(list[0].is_away);
  EXPECT_FALSE(list[0].clock_ahead_ns) << "it does not say";
  EXPECT_EQ(list[1].clock_ahead_ns, -400 * kDay);
}

TEST(task_book, a_task_for_ten_minutes_does_not_run_until_a_clock_that_was_ahead_is_right) {
  TaskEntry entry{.task = {.for_ns = 600'000'000'000}, .applied_ns = kNow + 400 * int64_t{86'400'000'000'000}};
  EXPECT_EQ(entry.phase(entry.applied_ns + 1), TaskPhase::Running);
  EXPECT_EQ(entry.phase(kNow), TaskPhase::Ended);
}

}  // namespace atys::fleet
