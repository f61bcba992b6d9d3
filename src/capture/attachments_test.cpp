// SPDX-License-Identifier: Apache-2.0
// What can be said without a runtime; the kernels' own tests attach to real ones.
#include "capture/attachments.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "support/waiting_program.h"

namespace atys::capture {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// A runtime that notes at which rate it was told to sample; 0: at none.
class RatedRecorder final : public OwnRecorder {
 public:
  explicit RatedRecorder(std::atomic<double>& hz) : hz_(hz) {}
  Result<> start() override { return {}; }
  Result<Profile> take(bool) override { return Profile(); }
  void set_rate(double hz) override { hz_ = hz; }

 private:
  std::atomic<double>& hz_;
};

// What it was told before a question it has done before it answers the next.
double told_hz(Attachments& attachments, const std::atomic<double>& hz) {
  EXPECT_EQ(attachments.take_profiles(false).size(), 1U);
  EXPECT_EQ(attachments.take_profiles(false).size(), 1U);
  return hz;
}

TEST(attachments, a_cut_of_the_rate_reaches_runtimes_that_sample_themselves) {
  std::atomic<double> hz = 0;
  Attachments attachments(RecordingPlan{.hz = 999});
  attachments.begin_recording(::getpid(), "Test", std::make_unique<RatedRecorder>(hz));
  attachments.settle(std::chrono::minutes(1));
  attachments.set_rate(999, kSecond);
  EXPECT_EQ(told_hz(attachments, hz), 0) << "it samples at that rate already";
  attachments.set_rate(200, 2 * kSecond);
  EXPECT_EQ(told_hz(attachments, hz), 200);
  attachments.set_rate(19, 2 * kSecond);
  EXPECT_EQ(told_hz(attachments, hz), 19);
  attachments.set_rate(300, 3 * kSecond);
  EXPECT_EQ(told_hz(attachments, hz), 19) << "a rise has time";
  attachments.set_rate(300, 4 * kSecond);
  EXPECT_EQ(told_hz(attachments, hz), 300);
  EXPECT_EQ(attachments.take_profiles(true).size(), 1U);
}

// A runtime that begins to sample when it is let, and hands over one sample.
class GatedRecorder final : public OwnRecorder {
 public:
  explicit GatedRecorder(std::atomic<bool>& is_open) : is_open_(is_open) {}
  Result<> start() override {
    while (!is_open_) ::usleep(1000);
    return {};
  }
  Result<Profile> take(bool) override {
    Profile profile;
    profile.add_value_type("samples", "count");
    profile.add_value_type("cpu", "nanoseconds");
    return profile;
  }

 private:
  std::atomic<bool>& is_open_;
};

TEST(attachments, a_runtime_stands_for_its_threads_from_when_it_samples) {
  std::atomic<bool> is_open = false;
  Attachments attachments(RecordingPlan{});
  attachments.begin_recording(::getpid(), "Test", std::make_unique<GatedRecorder>(is_open));
  attachments.begin_window(kSecond);
  EXPECT_TRUE(attachments.take_begun(2 * kSecond).empty());
  is_open = true;
  pollfd begun{attachments.wakeup_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&begun, 1, 60'000), 1) << "who waits is told";
  EXPECT_EQ(attachments.take_begun(3 * kSecond), std::vector<pid_t>{::getpid()});
  EXPECT_TRUE(attachments.take_begun(3 * kSecond).empty());
  attachments.keep_before(::getpid(), {{5, {1, 10}}});
  attachments.end_window(7 * kSecond);
  auto profiles = attachments.take_profiles(false);
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_EQ(profiles[0].times.lasted_ns, 4 * kSecond);
  EXPECT_EQ(profiles[0].times.threads.at(::getpid()).there_ns, 4 * kSecond);
  EXPECT_EQ(profiles[0].before.size(), 1U);
  attachments.begin_next_window(7 * kSecond);
  attachments.end_window(8 * kSecond);
  profiles = attachments.take_profiles(true);
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_EQ(profiles[0].times.lasted_ns, kSecond);
  EXPECT_TRUE(profiles[0].before.empty());
}

TEST(attachments, what_a_runtime_does_is_told_when_it_does_it) {
  std::atomic<bool> is_open = false;
  Attachments attachments(RecordingPlan{});
  attachments.begin_recording(::getpid(), "Test", std::make_unique<GatedRecorder>(is_open), {"it writes to its output"});
  attachments.settle(std::chrono::milliseconds(1));
  EXPECT_TRUE(attachments.take_notes().empty());
  is_open = true;
  attachments.settle(std::chrono::minutes(1));
  EXPECT_EQ(attachments.take_notes(), std::vector<std::string>{"it writes to its output"});
  attachments.settle(std::chrono::minutes(1));
  EXPECT_TRUE(attachments.take_notes().empty());
}

TEST(attachments, a_runtime_that_begins_when_all_is_over_stands_for_nothing) {
  std::atomic<bool> is_open = true;
  Attachments attachments(RecordingPlan{});
  attachments.begin_window(kSecond);
  attachments.begin_recording(::getpid(), "Test", std::make_unique<GatedRecorder>(is_open));
  attachments.settle(std::chrono::minutes(1));
  attachments.end_window(2 * kSecond);
  const auto profiles = attachments.take_profiles(true);
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_TRUE(profiles[0].profile.value_types().empty());
}

TEST(attachments, find_nothing_in_a_process_that_is_gone) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const RecordingPlan plan;
  Attachments attachments(plan);
  const auto found = attachments.find_reader(child);
  EXPECT_EQ(found.reader, nullptr);
  EXPECT_FALSE(found.ask_again);
  EXPECT_TRUE(attachments.runtimes().empty());
}

TEST(attachments, find_nothing_in_a_program_without_a_runtime) {
  test::WaitingProgram program({"cat"});
  ASSERT_GT(program.pid(), 0);
  const RecordingPlan plan;
  Attachments attachments(plan);
  const auto found = attachments.find_reader(program.pid());
  EXPECT_EQ(found.reader, nullptr);
  EXPECT_TRUE(attachments.take_notes().empty());
  EXPECT_TRUE(attachments.runtimes().empty());
}

TEST(attachments, look_at_a_process_again_for_files_that_may_bring_a_runtime_alone) {
  const RecordingPlan plan;
  const Attachments attachments(plan);
  EXPECT_TRUE(attachments.may_bring_runtime("/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0"));
  EXPECT_FALSE(attachments.may_bring_runtime("/usr/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_FALSE(attachments.may_bring_runtime(""));
}

TEST(attachments, without_runtimes_that_sample_themselves_there_is_nothing_to_wait_for) {
  const RecordingPlan plan;
  Attachments attachments(plan);
  attachments.settle(std::chrono::hours(1));
  EXPECT_TRUE(attachments.take_profiles(false).empty());
  EXPECT_TRUE(attachments.take_profiles(true).empty());
  EXPECT_TRUE(attachments.take_notes().empty());
}

// Python is among the packages that every build needs.
TEST(attachments, count_a_runtime_and_hand_over_its_reader) {
  test::WaitingProgram program({"python3", "-c", "import os; os.write(1, b'ready\\n') and os.read(0, 1)"});
  if (program.read_line() != "ready") GTEST_SKIP() << "python3 is not installed";
  const RecordingPlan plan;
  Attachments attachments(plan);
  const auto found = attachments.find_reader(program.pid());
  ASSERT_NE(found.reader, nullptr);
  ASSERT_EQ(attachments.runtimes().size(), 1U);
  EXPECT_EQ(attachments.runtimes().begin()->first.rfind("Python 3.", 0), 0U);
  EXPECT_EQ(attachments.runtimes().begin()->second, 1);
}

}  // namespace
}  // namespace atys::capture
