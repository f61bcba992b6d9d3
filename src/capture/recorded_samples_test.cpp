// SPDX-License-Identifier: Apache-2.0
#include "capture/recorded_samples.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "capture/native/no_source.h"

namespace atys::capture {
namespace {

using namespace profile;

constexpr pid_t kPid = 0x7ffffff0;  // no process has it
constexpr uint64_t kMs = 1'000'000;
const uint64_t kAddress = 0x1000;

class RecordedSamples : public testing::Test {
 protected:
  native::SampleSlot slot(pid_t pid, pid_t tid, native::SampleNote note = {}) {
    native::RawSample sample{.time_ns = 1, .pid = pid, .tid = tid, .comm = "test"};
    sample.user_frames = {&kAddress, 1};
    sample.note = note;
    return collector_.on_stack(sample);
  }
  void sampled(pid_t pid, pid_t tid, uint64_t samples, uint64_t weight_ns, native::SampleNote note = {}) {
    collector_.add(slot(pid, tid, note), samples, weight_ns);
  }
  // Without a stack: that is left to a runtime.
  void counted(pid_t pid, pid_t tid, uint64_t samples, uint64_t weight_ns) {
    const native::RawSample sample{.time_ns = 1, .pid = pid, .tid = tid, .comm = "test"};
    collector_.add(collector_.on_stack(sample), samples, weight_ns);
  }

  // What a runtime recorded of its threads, and the account of them.
  OwnProfile recorded(const std::map<pid_t, int64_t>& threads, std::string_view weight_type, ProcessTimes times) {
    OwnProfile own{.pid = kPid, .times = std::move(times)};
    own.profile.add_value_type("samples", "count");
    own.profile.add_value_type(weight_type, "nanoseconds");
    const auto frame = own.profile.named_frame("script", "app.js", 7, "js");
    for (const auto& [thread, weight] : threads)
      own.profile.samples.add(own.profile.stacks.intern(std::vector<FrameId>{frame}),
                              own.profile.label_set({own.profile.int_label("thread.id", thread)}),
                              std::vector<int64_t>{3, weight});
    return own;
  }

  const Profile& build(std::vector<OwnProfile> own, const native::ValueNames& names = {}) {
    profile_ = {};
    add_recorded_samples(collector_, modules_, own, {}, names, {}, profile_);
    return profile_;
  }

  // Of a thread: what is told by its runtime, and what natively.
  std::pair<int64_t, int64_t> weights_of(pid_t thread, size_t column = 1) const {
    std::pair<int64_t, int64_t> weights;
    for (size_t i = 0; i < profile_.samples.size(); ++i) {
      if (thread_of(profile_, profile_.samples.labels(i)) != thread) continue;
      const bool is_own = frame_name(profile_, profile_.stacks[profile_.samples.stack(i)][0]) == "script";
      (is_own ? weights.first : weights.second) += profile_.samples.value(i, column);
    }
    return weights;
  }
  uint64_t lost() const {
    uint64_t count = 0;
    for (const Loss& loss : profile_.losses)
      if (profile_.text(loss.reason) == "stacks that a runtime was to record and did not hand over") count += loss.count;
    return count;
  }

  native::NoSource source_;
  native::CodeModules modules_{{}};
  native::StackCollector collector_{source_, modules_};
  Profile profile_;
};

using Weights = std::pair<int64_t, int64_t>;
const native::ValueNames kWall{"samples", "wall", "nanoseconds", true};

TEST_F(RecordedSamples, a_thread_has_no_more_wall_time_than_was_recorded_however_much_others_waited_for_it) {
  sampled(kPid, 7, 100, 1000 * kMs);
  sampled(kPid, 7, 100, 3000 * kMs, {.wait = "blocked"});
  sampled(kPid, 7, 50, 18'000 * kMs, {.is_waker = true});
  ProcessTimes times{.lasted_ns = 4000 * kMs, .since_first_ns = 4000 * kMs, .cpu_ns = 1000 * kMs};
  times.threads[7] = {1000 * kMs, 4000 * kMs};
  OwnProfile own = recorded({{7, 4500 * kMs}}, "wall", times);
  own.threads = {7};
  build({own}, kWall);
  EXPECT_EQ(weights_of(7), (Weights{4000 * kMs, 0}));
  EXPECT_EQ(weights_of(7, 2), (Weights{0, 18'000 * kMs})) << "whom it woke is told natively, in a column of its own";
  own.times = {};
  build({own}, kWall);
  EXPECT_EQ(weights_of(7), (Weights{4000 * kMs, 0})) << "also where nothing is known but what was sampled";
}

TEST_F(RecordedSamples, each_thread_has_the_time_of_its_own_account) {
  sampled(kPid, 7, 3, 30 * kMs);
  sampled(kPid, 8, 50, 500 * kMs);
  sampled(kPid, 9, 1, 10 * kMs);
  sampled(kPid + 1, 7, 1, 10 * kMs);
  ProcessTimes times{.lasted_ns = 4000 * kMs, .since_first_ns = 4000 * kMs, .cpu_ns = 410 * kMs};
  times.threads = {{7, {40 * kMs, 4000 * kMs}}, {8, {360 * kMs, 4000 * kMs}}, {9, {10 * kMs, 4000 * kMs}}};
  build({recorded({{7, 10 * kMs}, {8, 10 * kMs}}, "cpu", times)});
  EXPECT_EQ(weights_of(7).first, 40 * int64_t{kMs});
  EXPECT_EQ(weights_of(8), (Weights{360 * kMs, 0}));
  EXPECT_EQ(weights_of(9), (Weights{0, 10 * kMs})) << "its runtime took no sample of it: the native ones stand";
  EXPECT_EQ(weights_of(7).second, 10 * int64_t{kMs}) << "of the same thread number in another process";
}

TEST_F(RecordedSamples, what_was_sampled_before_the_runtime_sampled_itself_stays) {
  sampled(kPid, 7, 100, 1000 * kMs);
  const auto before = collector_.values_of(kPid);
  sampled(kPid, 7, 200, 2000 * kMs);
  ProcessTimes times{.lasted_ns = 2000 * kMs, .since_first_ns = 2000 * kMs, .cpu_ns = 1900 * kMs};
  times.threads[7] = {1900 * kMs, 2000 * kMs};
  OwnProfile own = recorded({{7, 2000 * kMs}}, "cpu", times);
  own.before = before;
  build({own});
  EXPECT_EQ(weights_of(7), (Weights{1900 * kMs, 1000 * kMs}));
  own.times_before = {.lasted_ns = 900 * kMs, .since_first_ns = 900 * kMs, .cpu_ns = 800 * kMs};
  own.times_before.threads[7] = {800 * kMs, 900 * kMs};
  build({own});
  EXPECT_EQ(weights_of(7), (Weights{1900 * kMs, 800 * kMs})) << "as much as the account of that time says";
  own.times_before = {};
  own.times.cpu_ns.reset();
  own.times.threads.clear();
  build({own});
  EXPECT_EQ(weights_of(7), (Weights{2000 * kMs, 1000 * kMs})) << "of a process that ended";
}

TEST_F(RecordedSamples, samples_whose_stack_was_left_to_a_runtime_that_has_none_are_lost_and_counted) {
  counted(kPid, 7, 40, 400 * kMs);
  counted(kPid, 8, 2, 20 * kMs);
  ProcessTimes times{.lasted_ns = 4000 * kMs, .since_first_ns = 4000 * kMs, .cpu_ns = 420 * kMs};
  times.threads = {{7, {400 * kMs, 4000 * kMs}}, {8, {20 * kMs, 4000 * kMs}}};
  OwnProfile own = recorded({{7, 10 * kMs}}, "cpu", times);
  own.is_only_source = true;
  build({own});
  EXPECT_EQ(weights_of(7), (Weights{400 * kMs, 0}));
  EXPECT_EQ(weights_of(8), (Weights{0, 20 * kMs}));
  EXPECT_EQ(lost(), 2U);
  own.profile = {};
  build({own});
  EXPECT_EQ(weights_of(7), (Weights{0, 400 * kMs}));
  EXPECT_EQ(lost(), 42U);
}

TEST_F(RecordedSamples, threads_that_are_there_only_to_sample_have_no_wall_time) {
  sampled(kPid, 7, 100, 4000 * kMs);
  counted(kPid, 30, 40, 4000 * kMs);
  ProcessTimes times{.lasted_ns = 4000 * kMs, .since_first_ns = 4000 * kMs, .cpu_ns = 10 * kMs};
  times.threads = {{7, {10 * kMs, 4000 * kMs}}, {30, {0, 4000 * kMs}}};
  OwnProfile own = recorded({{7, 10 * kMs}, {31, 10 * kMs}}, "wall", times);
  own.is_only_source = true;
  own.made = {30, 31};
  build({own}, kWall);
  EXPECT_EQ(weights_of(31), (Weights{0, 0})) << "though the runtime tells of it";
  EXPECT_EQ(weights_of(7), (Weights{4000 * kMs, 0}));
  EXPECT_EQ(weights_of(30), (Weights{0, 0}));
  EXPECT_EQ(lost(), 0U);
}

TEST_F(RecordedSamples, threads_that_ended_are_told_once) {
  sampled(kPid, 7, 10, 100 * kMs);
  sampled(kPid, 50, 10, 100 * kMs);
  sampled(kPid, 51, 10, 100 * kMs);
  ProcessTimes times{.lasted_ns = 4000 * kMs, .since_first_ns = 4000 * kMs, .cpu_ns = 310 * kMs};
  times.threads = {{7, {110 * kMs, 4000 * kMs}}};
  build({recorded({{7, 10 * kMs}, {50, 10 * kMs}}, "cpu", times)});
  EXPECT_EQ(weights_of(50), (Weights{200 * kMs, 0})) << "with what 51 used, which is not known apart";
  EXPECT_EQ(weights_of(51), (Weights{0, 0}));
  build({recorded({{7, 10 * kMs}}, "cpu", times)});
  EXPECT_EQ(weights_of(51), (Weights{0, 100 * kMs}));
}

}  // namespace
}  // namespace atys::capture
