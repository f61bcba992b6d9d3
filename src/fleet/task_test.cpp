// SPDX-License-Identifier: Apache-2.0
#include "fleet/task.h"

#include <gtest/gtest.h>

namespace atys::fleet {

namespace {

constexpr const char* kWhole = R"(# the shop
task: checkout
service: exe=checkout port=8080
as: shop/checkout
nodes: [web-*, db-1]
kinds: [cpu, off-cpu]
frequency:
  algorithm: paper
  min: 5
  max: 1kHz
  threshold: 0.05
  decay: 0.7
  stable_windows: 3
  top: 20
window: 5s
pause: 500ms
prune: {threads: P99.5}
track: [pay, "/^shop::/"]
budget: {overhead: 0.5%, memory: 64MB}
for: 2h
allow_inspector: true
)";

std::string error_of(const std::string& text) {
  const Result<Task> task = parse_task(text, "shop.yaml");
  return task.ok() ? "" : task.error().message;
}

std::string with(const std::string& line) { return "task: a\nservice: nginx\n" + line + "\n"; }

}  // namespace

TEST(task, every_field_is_read) {
  const Task task = *parse_task(kWhole, "shop.yaml");
  EXPECT_EQ(task.name, "checkout");
  EXPECT_EQ(task.service, "exe=checkout port=8080");
  EXPECT_EQ(task.as, "shop/checkout");
  EXPECT_EQ(task.nodes.size(), 2u);
  EXPECT_EQ(task.kinds[1], "off-cpu");
  EXPECT_EQ(task.frequency.mode, FrequencyMode::Paper);
  EXPECT_EQ(task.frequency.dynamic.max_hz, 1000);
  EXPECT_EQ(task.frequency.dynamic.stable_windows, 3u);
  EXPECT_EQ(task.frequency.dynamic.top, 20u);
  EXPECT_EQ(task.window_ns, 5'000'000'000u);
  EXPECT_EQ(task.pause_ns, 500'000'000u);
  EXPECT_EQ(task.prune.kind, adapt::PruningRule::Kind::Threads);
  EXPECT_DOUBLE_EQ(task.prune.value, 0.995);
  EXPECT_EQ(task.track.size(), 2u);
  EXPECT_DOUBLE_EQ(task.budget.overhead, 0.005);
  EXPECT_EQ(task.budget.memory_bytes, 64'000'000u);
  EXPECT_EQ(task.for_ns, 7200'000'000'000u);
  EXPECT_TRUE(task.allow_inspector);
}

TEST(task, two_lines_are_enough) {
  const Task task = *parse_task("task: a\nservice: nginx\n", "a.yaml");
  EXPECT_EQ(task.frequency.mode, FrequencyMode::Pooled);
  EXPECT_EQ(task.kinds, std::vector<std::string>{"cpu"});
  EXPECT_TRUE(task.runs_on("anything"));
}

TEST(task, what_is_written_is_what_was_read) {
  for (const std::string& text :
       {std::string(kWhole), with(""), with("frequency: 99"), with("prune: none"), with("prune: {max_error: 0.3%}"),
        with("as: \"a: b # \\\"c\\\"\""), with("track: [\"a: b # \\\"c\\\"\"]"), with("pause: 1.5ms")}) {
    const Task task = *parse_task(text, "a.yaml");
    const std::string written = to_yaml(task);
    const Result<Task> again = parse_task(written, "again.yaml");
    ASSERT_TRUE(again.ok()) << written << again.error().message;
    EXPECT_EQ(to_yaml(*again), written);
    EXPECT_EQ(again->track, task.track);
    EXPECT_EQ(again->as, task.as);
    EXPECT_EQ(again->frequency.mode, task.frequency.mode);
    EXPECT_DOUBLE_EQ(again->prune.value, task.prune.value);
    EXPECT_EQ(again->pause_ns, task.pause_ns);
  }
}

TEST(task, its_service_is_called_as_it_says) {
  EXPECT_EQ(service_name(*parse_task(kWhole, "shop.yaml")), "shop/checkout");
  EXPECT_EQ(service_name(*parse_task(with(""), "a.yaml")), "nginx");
  EXPECT_EQ(service_name(*parse_task("task: a\nservice: port=80\n", "a.yaml")), "a");
  EXPECT_EQ(service_name(*parse_task(with("as: \"Übersicht (2): a\""), "a.yaml")), "Übersicht (2): a");
}

TEST(task, runs_where_a_pattern_fits) {
  const Task task = *parse_task(kWhole, "shop.yaml");
  EXPECT_TRUE(task.runs_on("web-17"));
  EXPECT_TRUE(task.runs_on("db-1"));
  EXPECT_FALSE(task.runs_on("db-12"));
}

TEST(task, what_is_wrong_is_named_with_its_line) {
  EXPECT_EQ(error_of(with("budgett: {}")), "shop.yaml:3: a task has no field 'budgett'");
  EXPECT_EQ(error_of(with("window: soon")), "shop.yaml:3: window: 'soon' is no duration");
  EXPECT_EQ(error_of(with("as: \"\"")), "shop.yaml:3: as: what the service is called has to be 1 to 200 bytes of text");
  EXPECT_EQ(error_of(with("as: \"a\\nb\"")), "shop.yaml:3: as: what the service is called has to be 1 to 200 bytes of text");
  EXPECT_EQ(error_of(with("kinds: [cpu, heat]")).rfind("shop.yaml:3: kinds: ", 0), 0u);
  EXPECT_EQ(error_of(with("frequency:\n  min: 100\n  max: 50")), "shop.yaml:4: frequency: min 100 is above max 50");
  EXPECT_EQ(error_of(with("frequency:\n  algorithm: best")), "shop.yaml:4: algorithm: there is no algorithm 'best'");
  EXPECT_EQ(error_of(with("frequency: 1e9")), "shop.yaml:3: frequency: 1e9 is out of range");
  EXPECT_EQ(error_of(with("prune: {threads: P99, max_error: 1%}")), "shop.yaml:3: prune wants one of two rules");
  EXPECT_EQ(error_of(with("budget:\n  overhead: 200%")), "shop.yaml:4: overhead: 200% is out of range");
  EXPECT_EQ(error_of(with("track: [\"/(/\"]")).rfind("shop.yaml:3: track: bad pattern /(/", 0), 0u);
  EXPECT_EQ(error_of("task: a\ntask: b\nservice: c\n"), "shop.yaml:2: 'task' is there twice");
  EXPECT_EQ(error_of("task: a\n"), "shop.yaml:1: a task has no 'service'");
  EXPECT_EQ(error_of("task: ../../etc\nservice: a\n"), "shop.yaml:1: task: '../../etc' is no name");
  EXPECT_EQ(error_of("task: a\nservice: [1\n").rfind("shop.yaml:", 0), 0u);
  EXPECT_EQ(error_of("- a\n- b\n"), "shop.yaml:1: a task is no list of fields");
}

TEST(task, hostile_text_is_refused_in_bounded_time) {
  EXPECT_FALSE(error_of(std::string(100000, '[')).empty());
  EXPECT_FALSE(error_of(std::string(3000, '-')).empty());
  std::string spaced;
  for (int i = 0; i < 2000; ++i) spaced += "- ";
  EXPECT_FALSE(error_of(spaced).empty());
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) laughs += "," + last;
    laughs += "]\n";
  }
  EXPECT_FALSE(error_of(laughs).empty());
  EXPECT_FALSE(error_of(std::string(2 << 20, 'a')).empty());
  EXPECT_FALSE(error_of("").empty());
}

}  // namespace atys::fleet
