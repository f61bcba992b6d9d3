// SPDX-License-Identifier: Apache-2.0
#include "verbs/compare.h"

#include <gtest/gtest.h>

#include "verbs/comparison/callgrind.h"
#include "verbs/comparison/timed_blocks.h"
#include "verbs/view/shell_command.h"
#include "verbs/view/work_done.h"

namespace atys::verbs {

namespace {

// Milliseconds, the same for each of some runs.
RunColumns runs_of(double wall, double cpu, double queue) {
  RunColumns columns;
  for (int i = 0; i < 7; ++i) {
    columns.wall_ns.push_back(wall * 1e6);
    columns.cpu_ns.push_back(cpu * 1e6);
    columns.queue_ns.push_back(queue * 1e6);
  }
  return columns;
}

Metric metric_for(const RunColumns& a, const RunColumns& b) {
  std::string reason;
  const Metric metric = choose_metric({a, b}, reason);
  EXPECT_FALSE(reason.empty());
  return metric;
}

}  // namespace

TEST(compare, decides_by_cpu_time_only_where_both_compute_on_one_cpu) {
  const RunColumns computes = runs_of(50, 48, 0);
  EXPECT_EQ(metric_for(computes, computes), Metric::Cpu);
  EXPECT_EQ(metric_for(computes, runs_of(500, 48, 450)), Metric::Cpu);  // on a busy machine
  EXPECT_EQ(metric_for(computes, runs_of(50, 20, 0)), Metric::Wall);    // it sleeps
  EXPECT_EQ(metric_for(runs_of(50, 95, 0), computes), Metric::Wall);    // two CPUs
}

TEST(compare, runs_both_in_turns_and_tells_what_they_printed) {
  CompareRequest request{.a = {"echo", "x"}, .b = {"echo", "y"}};
  request.max_runs = 7;
  request.profile_runs = 0;
  request.seed = 5;
  const auto answer = compare(request);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->a.runs, 7u);
  EXPECT_EQ(answer->b.runs, 7u);
  EXPECT_EQ(answer->output, SeenOutput::Different);
  EXPECT_EQ(answer->seed, 5u);
  EXPECT_EQ(answer->looks.size(), 1u);
  EXPECT_GT(answer->a.wall_ns, 0);
  EXPECT_FALSE(answer->notes.empty());
}

TEST(compare, stops_when_it_is_told_to) {
  CompareRequest request{.a = {"true"}, .b = {"true"}};
  request.on_progress = [](const CompareProgress& progress) { return progress.done < 2; };
  const auto answer = compare(request);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->a.runs, 2u);
  EXPECT_EQ(answer->ended, CompareEnd::Interrupted);
  EXPECT_EQ(answer->verdict, reduce::Verdict::Inconclusive);
}

TEST(compare, knows_its_metrics_by_name) {
  EXPECT_EQ(*metric_of("auto"), std::nullopt);
  for (const Metric metric : {Metric::Wall, Metric::Cpu}) EXPECT_EQ(*metric_of(to_string(metric)), metric);
  EXPECT_EQ(metric_of("instructions").error().code, ErrorCode::InvalidInput);
}

TEST(compare, refuses_commands_that_fail) {
  CompareRequest request{.a = {"true"}, .b = {"/bin/sh", "-c", "echo no such table >&2; exit 3"}};
  const auto answer = compare(request);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "B failed with status 3: no such table");
}

TEST(shell_command, gives_way_to_a_plain_program_and_to_nothing_else) {
  EXPECT_EQ(shell_command("ls -l /")[2], "exec ls -l /");
  for (const char* text : {"cd /; ls", "ls | wc", "A=1 ls", "exit 3", "ls $HOME", "nosuchprogram x", "ls 'a b'", ""})
    EXPECT_EQ(shell_command(text)[2], text);
  EXPECT_EQ(text_of_command(shell_command("ls -l /")), "ls -l /");
  EXPECT_EQ(text_of_command({"ls", "a b"}), "ls 'a b'");
}

TEST(work_unit, is_a_word_or_a_word_with_numbers) {
  EXPECT_EQ(WorkUnit::parse("run")->kind, WorkUnit::Kind::Run);
  const auto requests = WorkUnit::parse("request:100,250");
  ASSERT_TRUE(requests.ok());
  EXPECT_EQ(requests->name, "request");
  EXPECT_EQ(requests->base_count, 100);
  EXPECT_EQ(requests->fresh_count, 250);
  EXPECT_EQ(WorkUnit::parse("page:3")->fresh_count, 3);
  for (const char* text :
       {"", "runs", "request", "request:", "request:x", "request:0", "request:-1", "request:1,", ":5", "request:inf"})
    EXPECT_FALSE(WorkUnit::parse(text).ok()) << text;
}

TEST(callgrind, counts_of_all_processes_are_added) {
  EXPECT_EQ(collected_in("==1== Collected : 123\n==1==\n==2== Collected : 7\n"), 130u);
  EXPECT_EQ(collected_in("Collected : "), 0u);
  EXPECT_EQ(collected_in(""), 0u);
}

}  // namespace atys::verbs
