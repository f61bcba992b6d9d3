// SPDX-License-Identifier: Apache-2.0
// What is seen of real Node.js processes.
#include "capture/node/node_recorder.h"

#include <cmath>
#include <set>
#include <thread>

#include "capture/recording.h"
#include "support/live_node.h"

namespace atys::capture::node {
namespace {

using test::Deadline;
using test::kIdle;
using test::kPatienceMs;
using test::kSplit;
using test::kWorkers;

class NodeRecorderTest : public test::LiveNode {};

TEST_F(NodeRecorderTest, shows_functions_with_their_shares_and_lines_and_leaves_nothing) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_NE(attachment->recorder, nullptr);
  ASSERT_TRUE(start(*attachment->recorder));
  EXPECT_EQ(child->listeners(), 1u);
  spend(child->pid(), 1500);
  const auto profile = attachment->recorder->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_EQ(attachment->recorder->covered_threads(), std::vector<pid_t>{child->pid()});

  auto counts = leaves(*profile);
  const double all = counts["sixty"] + counts["thirty"] + counts["ten"];
  ASSERT_GT(all, 50);
  for (const auto& [name, truth] : std::map<std::string, double>{{"sixty", 0.6}, {"thirty", 0.3}, {"ten", 0.1}}) {
    const double allowed = 0.01 + 4 * std::sqrt(truth * (1 - truth) / all);
    EXPECT_NEAR(counts[name] / all, truth, allowed) << name << " of " << all;
  }
  std::set<int64_t> lines;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    const auto frame = profile->frames[profile->stacks[profile->samples.stack(row)].front()];
    const auto line = profile->lines[frame.lines].front();
    if (profile->text(profile->functions[line.function].name) != "sixty") continue;
    EXPECT_EQ(profile->text(frame.kind), kJavaScriptKind);
    EXPECT_EQ(profile->text(profile->functions[line.function].filename), folder_.file("script.js"));
    EXPECT_EQ(profile->functions[line.function].start_line, 2);
    lines.insert(line.line);
  }
  EXPECT_TRUE(lines.contains(2));
  EXPECT_EQ(child->output(), "begun\n");
  EXPECT_FALSE(child->has_ended());
}

TEST_F(NodeRecorderTest, goes_on_from_window_to_window) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  for (const bool is_last : {false, false, true}) {
    spend(child->pid(), 200);
    const auto profile = attachment->recorder->take(is_last);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_GT(leaves(*profile)["sixty"], 0);
  }
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_FALSE(attachment->recorder->take(true).ok());
}

TEST_F(NodeRecorderTest, goes_on_at_another_rate_when_told_so) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  for (const double hz : {20.0, 150.0}) {
    attachment->recorder->set_rate(hz);
    spend(child->pid(), 500);
    const auto profile = attachment->recorder->take(false);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_GT(leaves(*profile)["sixty"], 0) << hz;
  }
}

TEST_F(NodeRecorderTest, keeps_what_it_recorded_when_the_rate_changes) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid(), 150);
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  spend(child->pid(), 500);
  attachment->recorder->set_rate(20);
  attachment->recorder->set_rate(50);
  const auto profile = attachment->recorder->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  auto counts = leaves(*profile);
  EXPECT_GT(counts["sixty"] + counts["thirty"] + counts["ten"], 10) << "some 75 were taken before the first change";
  EXPECT_EQ(attachment->recorder->covered_threads(), std::vector<pid_t>{child->pid()});
  EXPECT_EQ(child->listeners(), 0u);
}

// A cap that hardly anything fits into: the guard grants a fifth of the rate from the beginning, and less soon after.
TEST_F(NodeRecorderTest, samples_itself_no_more_often_than_the_overhead_guard_grants) {
  const auto child = begin(kSplit);
  auto recording = Recording::open(
      {.target = ProcessTarget{{child->pid()}}, .may_open_inspector = true, .hz = 199, .max_overhead = 0.0005});
  if (!recording.ok()) GTEST_SKIP() << recording.error().message;
  ASSERT_TRUE((*recording)->start().ok());
  const uint64_t end = linux::cpu_time_ns(child->pid()).value() + 1'500'000'000;
  const Deadline deadline = Deadline::in_ms(kPatienceMs);
  while (linux::cpu_time_ns(child->pid()).value() < end && !deadline.is_over()) (*recording)->step(50);
  const double granted = (*recording)->use().grants.empty() ? 42.5 : (*recording)->use().grants.front().hz;
  const double seconds = (*recording)->elapsed_seconds();
  const Profile profile = (*recording)->finish();
  ASSERT_LT(granted, 60);
  auto counts = leaves(profile);
  const double all = counts["sixty"] + counts["thirty"] + counts["ten"];
  EXPECT_GT(all, 0);
  EXPECT_LT(all, granted * seconds * 1.5 + 15) << "in " << seconds << " s at most at " << granted << " Hz; asked were 199";
}

TEST_F(NodeRecorderTest, writes_only_of_the_debugger_and_only_to_standard_error) {
  const auto child = begin(kIdle);
  {
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    ASSERT_TRUE(start(*attachment->recorder));
  }
  EXPECT_EQ(child->listeners(), 0u) << "the recorder went without a last look";
  EXPECT_EQ(child->output(), "begun\n");
  std::istringstream lines(child->errors());
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("Debugger ") || line.starts_with("For help, see:")) << line;
}

TEST_F(NodeRecorderTest, leaves_idle_time_out_unless_it_is_asked_for) {
  const auto child = begin(kIdle);
  for (const std::string_view kind : {"cpu", "wall"}) {
    auto attachment = attach(child->pid(), 999, kind);
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    ASSERT_TRUE(start(*attachment->recorder));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    const auto profile = attachment->recorder->take(true);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    auto counts = leaves(*profile);
    EXPECT_EQ(counts["(idle)"] > 0, kind == "wall");
    EXPECT_EQ(profile->text(profile->value_types()[1].type), kind);
  }
}

TEST_F(NodeRecorderTest, sees_worker_threads_as_threads_of_their_own) {
  const auto child = begin(kWorkers);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  spend(child->pid(), 1600);
  const auto profile = attachment->recorder->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(attachment->recorder->covered_threads().size(), 2u);
  // Loops that were entered long ago may show as their callers: both threads have samples of this script, and no thread has
  // functions of the other.
  std::map<int64_t, std::set<std::string>> names;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    int64_t tid = 0;
    for (const profile::LabelId id : profile->label_sets[profile->samples.labels(row)])
      if (profile->text(profile->labels[id].key) == "thread.id") tid = profile->labels[id].number;
    for (const profile::FrameId frame : profile->stacks[profile->samples.stack(row)])
      names[tid].insert(profile::frame_name(*profile, frame));
  }
  ASSERT_EQ(names.size(), 2u);
  for (const auto& [tid, functions] : names) {
    EXPECT_TRUE(functions.contains("turn")) << tid;
    EXPECT_FALSE(functions.contains(tid == child->pid() ? "of_worker" : "of_main")) << tid;
  }
}

TEST_F(NodeRecorderTest, works_with_modules) {
  const auto child = begin("setInterval(() => {}, 10); console.log('begun');", {"--inspect-port=0"}, false, "script.mjs");
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 0u);
}

TEST_F(NodeRecorderTest, prefers_the_perf_map_that_a_process_writes) {
  const auto child = begin(kIdle, {"--inspect-port=0", "--perf-basic-prof"});
  const auto attachment = attach(child->pid());
  ::unlink(("/tmp/perf-" + std::to_string(child->pid()) + ".map").c_str());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  EXPECT_EQ(attachment->recorder, nullptr);
}

}  // namespace
}  // namespace atys::capture::node
