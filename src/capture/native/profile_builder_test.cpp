// SPDX-License-Identifier: Apache-2.0
#include "capture/native/profile_builder.h"

#include <gtest/gtest.h>

#include "capture/native/no_source.h"
#include "support/profile_text.h"

namespace atys::capture::native {
namespace {

constexpr pid_t kPid = 0x7ffffff0;  // no process has it

class NamingReader final : public StackReader {
 public:
  const atys_walker& walker() const override { return walker_; }
  std::vector<std::pair<pid_t, uint64_t>> thread_states() override { return {}; }
  const InterpreterCode& code() const override { return code_; }
  bool read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) override {
    for (const atys_walked& walked : walk) frames.push_back({.id = static_cast<uint32_t>(walked.code)});
    return true;
  }
  LanguageName name(uint32_t id) const override { return {.function = "f" + std::to_string(id), .kind = "script"}; }
  std::string thread_name(pid_t tid) override {
    ++times_asked;
    return names[tid];
  }

  std::map<pid_t, std::string> names;
  int times_asked = 0;

 private:
  atys_walker walker_{};
  InterpreterCode code_;
};

class OneReader final : public ReaderFinder {
 public:
  explicit OneReader(std::shared_ptr<StackReader> reader) : reader_(std::move(reader)) {}
  Found find_reader(pid_t pid) override { return {.reader = pid == kPid ? reader_ : nullptr}; }
  bool may_bring_runtime(std::string_view) const override { return false; }

 private:
  std::shared_ptr<StackReader> reader_;
};

class ThreadNameLabels : public testing::Test {
 protected:
  ThreadNameLabels() { collector_.set_reader_finder(&finder_); }
  void sample(pid_t pid, pid_t tid, uint64_t function) {
    const atys_walked walked{.code = function};
    RawSample sample{.time_ns = 1, .pid = pid, .tid = tid, .comm = "python3"};
    sample.walked = {&walked, 1};
    collector_.add(collector_.on_stack(sample), 1, 10);
  }
  std::string text() {
    Profile profile;
    ProfileBuilder(collector_, modules_).build({}, profile);
    return test::to_text(profile);
  }

  std::shared_ptr<NamingReader> reader_ = std::make_shared<NamingReader>();
  OneReader finder_{reader_};
  NoSource source_;
  CodeModules modules_{{}};
  StackCollector collector_{source_, modules_};
};

TEST_F(ThreadNameLabels, are_what_the_language_calls_the_thread_or_else_what_the_kernel_does) {
  reader_->names = {{7, "worker-7"}};
  sample(kPid, 7, 1);
  sample(kPid, 8, 2);
  sample(kPid + 1, 7, 3);
  const std::string shown = text();
  EXPECT_NE(shown.find("thread.id=7,thread.name=worker-7} 1 10\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("thread.id=8,thread.name=python3} 1 10\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("process.pid=2147483633,thread.id=7,thread.name=python3} 1 10\n"), std::string::npos) << shown;
}

TEST_F(ThreadNameLabels, are_there_also_where_the_stack_was_lost) {
  reader_->names = {{7, "worker-7"}};
  sample(kPid, 7, 1);
  collector_.add(collector_.on_lost_stack(kPid, 7), 1, 10);
  EXPECT_NE(text().find("[stack not received]"), std::string::npos);
  EXPECT_EQ(text().find("thread.id=7}"), std::string::npos) << text();
}

TEST_F(ThreadNameLabels, are_asked_for_until_there_is_one) {
  sample(kPid, 7, 1);
  sample(kPid, 7, 1);
  EXPECT_EQ(reader_->times_asked, 2);
  reader_->names = {{7, "late"}};
  sample(kPid, 7, 1);
  sample(kPid, 7, 1);
  EXPECT_EQ(reader_->times_asked, 3);
  reader_->names = {{7, "later"}};
  EXPECT_NE(text().find("thread.name=later} 4 40\n"), std::string::npos) << text();
}

TEST_F(ThreadNameLabels, stand_beside_what_the_thread_waited_for) {
  const atys_walked walked{.code = 1};
  for (const char* wait : {"cpu", "blocked", "pipe"}) {
    RawSample sample{.time_ns = 1, .pid = kPid, .tid = 7, .comm = "python3"};
    sample.walked = {&walked, 1};
    sample.note.wait = wait;
    collector_.add(collector_.on_stack(sample), 1, 10);
  }
  for (const char* reason : {"wait=cpu}", "wait=other}", "wait=pipe}"})  // no kernel function tells what it was blocked by
    EXPECT_NE(text().find(reason), std::string::npos) << text();
}

// A run as its collector sees it, part by part: so many samples of a function in each.
class PhasesOfARun : public ThreadNameLabels {
 protected:
  void part(int64_t from_ns, const std::vector<std::pair<uint64_t, int>>& functions) {
    collector_.begin_part(from_ns);
    for (const auto& [function, samples] : functions)
      for (int i = 0; i < samples; ++i) sample(kPid, 7, function);
  }
  // Time and weight of each row.
  std::map<int64_t, int64_t> weights_by_time() {
    Profile profile;
    ProfileBuilder builder(collector_, modules_);
    builder.tell_phases(true);
    builder.build({}, profile);
    std::map<int64_t, int64_t> weights;
    for (size_t row = 0; row < profile.samples.size(); ++row)
      weights[profile.samples.time_ns(row)] += profile.samples.value(row, 1);
    return weights;
  }
};

TEST_F(PhasesOfARun, are_the_times_of_its_samples) {
  part(1000, {{1, 40}, {3, 5}});
  part(2000, {{1, 40}, {3, 5}});
  part(3000, {{2, 30}, {3, 5}});
  part(4000, {{2, 30}, {3, 5}});
  EXPECT_EQ(weights_by_time(), (std::map<int64_t, int64_t>{{1000, 900}, {3000, 700}}));
}

TEST_F(PhasesOfARun, are_no_times_where_it_did_the_same_all_along) {
  for (int64_t i = 1; i <= 8; ++i) part(1000 * i, {{1, 20}, {2, 20}});
  EXPECT_EQ(weights_by_time(), (std::map<int64_t, int64_t>{{0, 3200}}));
}

TEST_F(PhasesOfARun, are_told_of_long_runs_with_fewer_and_longer_parts) {
  size_t doubled = 0;
  for (int64_t i = 1; i <= 200; ++i) {
    if (collector_.begin_part(1000 * i)) ++doubled;
    for (int k = 0; k < 4; ++k) sample(kPid, 7, i <= 100 ? 1 : 2);
  }
  EXPECT_GT(doubled, 0U);
  EXPECT_LE(collector_.parts().size(), 24U);
  const auto weights = weights_by_time();
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_EQ(weights.begin()->second + weights.rbegin()->second, 8000);
}

class TimesOfSamples : public ThreadNameLabels {
 protected:
  void taken_at(uint64_t time_ns, uint64_t function) {
    const atys_walked walked{.code = function};
    RawSample sample{.time_ns = time_ns, .pid = kPid, .tid = 7, .comm = "python3"};
    sample.walked = {&walked, 1};
    collector_.add(collector_.on_stack(sample), 1, 10);
  }
  // Nanoseconds from the first of them on; and those without a time.
  std::map<int64_t, int64_t> weights_by_time() {
    Profile profile;
    ProfileBuilder builder(collector_, modules_);
    builder.tell_times(true);
    builder.build({}, profile);
    std::map<int64_t, int64_t> weights;
    int64_t first_ns = INT64_MAX;
    for (size_t row = 0; row < profile.samples.size(); ++row)
      if (const int64_t time_ns = profile.samples.time_ns(row); time_ns != 0) first_ns = std::min(first_ns, time_ns);
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      const int64_t time_ns = profile.samples.time_ns(row);
      weights[time_ns == 0 ? -1 : (time_ns - first_ns) / kSecond] += profile.samples.value(row, 1);
    }
    return weights;
  }
  static constexpr int64_t kSecond = 1'000'000'000;
};

TEST_F(TimesOfSamples, are_those_that_they_were_taken_at) {
  collector_.keep_times();
  taken_at(100 * kSecond, 1);
  taken_at(102 * kSecond + kSecond / 2, 1);
  const SampleSlot counted = 1;
  collector_.add(counted, 3, 30);  // from a counter
  EXPECT_EQ(weights_by_time(), (std::map<int64_t, int64_t>{{-1, 30}, {0, 10}, {2, 10}}));
  collector_.forget_values();
  taken_at(200 * kSecond, 2);
  EXPECT_EQ(weights_by_time(), (std::map<int64_t, int64_t>{{0, 10}}));
}

TEST_F(TimesOfSamples, are_not_kept_of_very_many) {
  collector_.keep_times();
  for (uint64_t i = 0; i < 5000; ++i) taken_at((100 + i) * kSecond, 1);
  EXPECT_EQ(weights_by_time(), (std::map<int64_t, int64_t>{{-1, 50'000}}));
}

}  // namespace
}  // namespace atys::capture::native
