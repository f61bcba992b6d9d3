// SPDX-License-Identifier: Apache-2.0
#include "linux/measured_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"

namespace atys::linux {

namespace {

MeasuredRun shell(const std::string& script, const RunLimits& limits = {}) {
  auto run = run_measured({"/bin/sh", "-c", script}, limits);
  EXPECT_TRUE(run.ok());
  return run.ok() ? run.take() : MeasuredRun{};
}

}  // namespace

TEST(measured_run, says_how_it_ended_and_what_it_wrote) {
  const MeasuredRun run = shell("printf hello; echo oh no >&2; exit 3");
  EXPECT_EQ(run.exit_status, 3);
  EXPECT_EQ(run.output_bytes, 5u);
  EXPECT_EQ(run.error_tail, "oh no\n");
  EXPECT_FALSE(run.was_stopped);
  EXPECT_GT(run.wall_ns, 0u);
  EXPECT_EQ(shell("kill -9 $$").exit_status, 137);
}

TEST(measured_run, tells_outputs_apart_whatever_pieces_they_come_in) {
  const uint64_t whole = shell("echo abcdef").output_hash;
  EXPECT_EQ(shell("printf abc; printf 'def\\n'").output_hash, whole);
  EXPECT_NE(shell("echo abcdeg").output_hash, whole);
  EXPECT_EQ(shell("head -c 3000000 /dev/zero").output_bytes, 3'000'000u);
}

TEST(measured_run, counts_the_whole_tree_also_what_outlives_the_command) {
  const std::string work = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
  const MeasuredRun waited = shell("(" + work + "); true");
  const MeasuredRun behind = shell("(" + work + ") >/dev/null 2>&1 & exit 0");
  const MeasuredRun nothing = shell("exit 0");
  EXPECT_GT(waited.cpu_ns, nothing.cpu_ns);
  EXPECT_GT(behind.cpu_ns, nothing.cpu_ns);
  EXPECT_EQ(behind.left_behind, 1u);
  EXPECT_EQ(waited.left_behind, 0u);
  EXPECT_GE(shell("sleep 0.2 & exit 0").wall_ns, 200'000'000u);
}

TEST(measured_run, ends_at_its_limits_with_everything_that_it_started) {
  const MeasuredRun late = shell("sleep 100 & sleep 100", {.deadline_ns = clock_ns(CLOCK_MONOTONIC) + 50'000'000});
  EXPECT_TRUE(late.was_stopped);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_TRUE(shell("sleep 100", {.stop_fd = ends[0]}).was_stopped);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(measured_run, gives_an_empty_input_and_the_padding_asked_for) {
  EXPECT_EQ(shell("cat").output_bytes, 0u);
  EXPECT_EQ(shell("printf %s \"$ATYS_PADDING\"", {.padding = 17}).output_bytes, 17u);
  EXPECT_EQ(shell("printf %s \"${ATYS_PADDING-}\"").output_bytes, 0u);
}

TEST(measured_run, names_a_command_that_cannot_be_run) {
  const auto run = run_measured({"/nosuch/program"});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::NotFound);
}

}  // namespace atys::linux
