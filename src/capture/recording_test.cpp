// SPDX-License-Identifier: Apache-2.0
// Real recordings of a real child. Skipped where this user may not record at all.
#include "capture/recording.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace atys::capture {
namespace {

// A process that computes until it is told to end.
class BusyChild {
 public:
  BusyChild() : pid_(::fork()) {
    if (pid_ != 0) return;
    while (true) asm volatile("");
  }
  ~BusyChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

size_t open_descriptors() {
  size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (folder != nullptr && ::readdir(folder) != nullptr) ++count;
  if (folder != nullptr) ::closedir(folder);
  return count;
}

RecordingPlan plan_of(pid_t pid, Tier tier) {
  return {.target = ProcessTarget{{pid}},
          .tier = tier,
          .hz = 999,
          .duration_ns = 5'000'000,
          .max_overhead = 1,
          .cache_folder = testing::TempDir() + "recording_test_cache"};
}

size_t cycles() {
  const char* asked = std::getenv("ATYS_CYCLES");
  return asked == nullptr ? 20 : std::strtoul(asked, nullptr, 10);
}

class RecordingTest : public testing::TestWithParam<Tier> {};

TEST_P(RecordingTest, leaves_nothing_behind_however_often_it_is_done) {
  const BusyChild child;
  size_t before = 0;
  uint64_t samples = 0;
  for (size_t i = 0; i < cycles(); ++i) {
    auto recording = Recording::open(plan_of(child.pid(), GetParam()));
    if (!recording.ok() && i == 0) GTEST_SKIP() << recording.error().message;
    ASSERT_TRUE(recording.ok()) << i << ": " << recording.error().message;
    ASSERT_TRUE((*recording)->start().ok());
    while ((*recording)->step(100) == EndReason::Running) {
    }
    (*recording)->finish();
    samples += (*recording)->use().samples;
    recording->reset();
    if (i == 0) before = open_descriptors();
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_GT(samples, 0u);
  EXPECT_EQ(::kill(child.pid(), 0), 0);
}

TEST_P(RecordingTest, ends_when_its_target_does) {
  auto child = std::make_unique<BusyChild>();
  RecordingPlan plan = plan_of(child->pid(), GetParam());
  plan.duration_ns = 60'000'000'000;
  auto recording = Recording::open(plan);
  if (!recording.ok()) GTEST_SKIP() << recording.error().message;
  ASSERT_TRUE((*recording)->start().ok());
  child.reset();
  EndReason reason = EndReason::Running;
  while (reason == EndReason::Running) reason = (*recording)->step(100);
  EXPECT_EQ(reason, EndReason::TargetEnded);
}

// Between two windows a sample may come that stands for a fifth of a second; with it the next would hardly know anything.
TEST_P(RecordingTest, a_window_at_a_high_rate_has_no_sample_of_the_low_rate_before) {
  const BusyChild child;
  RecordingPlan plan = plan_of(child.pid(), GetParam());
  plan.hz = 5;
  plan.duration_ns = 0;
  auto recording = Recording::open(plan);
  if (!recording.ok()) GTEST_SKIP() << recording.error().message;
  ASSERT_TRUE((*recording)->start().ok());
  for (int i = 0; i < 4; ++i) {
    ::usleep(100'000);  // the timer began anew with the rate: it comes after 200 ms, in the middle of the next wait
    const double began = (*recording)->elapsed_seconds();
    (*recording)->take_window();
    ::usleep(150'000);
    (*recording)->ask_rate(500);
    const bool is_late =
        (*recording)->elapsed_seconds() - began > 0.19;  // a busy machine: the sample is a window's own then
    while ((*recording)->elapsed_seconds() < 0.5 * (i + 1)) (*recording)->step(50);
    const Profile window = (*recording)->take_window();
    // Sums are the kernel's, so that a sample may stand for some more than its period, but not for a hundred of them.
    for (size_t row = 0; row < window.samples.size() && !is_late; ++row)
      EXPECT_LE(window.samples.value(row, 1), window.samples.value(row, 0) * 20'000'000) << i;
    (*recording)->ask_rate(5);
  }
}

// What was sampled while names were given is of the window after: it has to begin where the one before ended.
TEST_P(RecordingTest, windows_leave_no_time_between_them) {
  const BusyChild child;
  RecordingPlan plan = plan_of(child.pid(), GetParam());
  plan.duration_ns = 0;
  auto recording = Recording::open(plan);
  if (!recording.ok()) GTEST_SKIP() << recording.error().message;
  ASSERT_TRUE((*recording)->start().ok());
  uint64_t all_ns = 0;
  for (int i = 0; i < 3; ++i) {
    (*recording)->step(50);
    all_ns += static_cast<uint64_t>((*recording)->take_window().header.duration_ns);
  }
  EXPECT_EQ(all_ns, (*recording)->use().elapsed_ns);
}

INSTANTIATE_TEST_SUITE_P(tiers, RecordingTest, testing::Values(Tier::Ebpf, Tier::Perf),
                         [](const auto& tier) { return tier.param == Tier::Ebpf ? "ebpf" : "perf"; });

}  // namespace
}  // namespace atys::capture
