// SPDX-License-Identifier: Apache-2.0
#include "capture/native/language_stacks.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace atys::capture::native {
namespace {

constexpr uint64_t kEvaluator = 0x1000;
constexpr uint64_t kForeign = 0x9000;
constexpr uint64_t kMillisecond = 1'000'000;

class FakeReader final : public StackReader {
 public:
  const atys_walker& walker() const override { return walker_; }
  std::vector<std::pair<pid_t, uint64_t>> thread_states() override {
    ++times_asked;
    return {{7, 0x700}, {8, 0x800}};
  }
  const InterpreterCode& code() const override { return code_; }
  // The code of a frame is its number; 0 is no frame at all, 666 is torn.
  bool read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) override {
    for (const atys_walked& walked : walk) {
      if (walked.code == 666) return false;
      if (walked.code != 0) frames.push_back({static_cast<uint32_t>(walked.code), true});
    }
    return true;
  }
  LanguageName name(uint32_t) const override { return {}; }

  int times_asked = 0;

 private:
  atys_walker walker_{.holder = 0x1234};
  InterpreterCode code_{.evaluator = {{kEvaluator, kEvaluator + 0x100}}};
};

class FakeSource final : public SampleSource {
 public:
  std::string_view tier() const override { return "fake"; }
  Result<> start() override { return {}; }
  void stop() override {}
  Result<> set_period(uint64_t) override { return {}; }
  Result<> add_process(pid_t) override { return {}; }
  void set_stack_mode(pid_t, StackMode) override {}
  void set_stack_end(pid_t, uint64_t) override {}
  bool can_walk() const override { return true; }
  void set_walker(pid_t pid, const atys_walker* walker) override { walkers[pid] = walker->holder; }
  void set_thread_state(pid_t tid, uint64_t address) override { states[tid] = address; }
  void collect(SampleSink&) override {}
  void collect_counts(SampleSink&) override {}
  void add_wakeups(std::vector<pollfd>&) const override {}
  SourceTotals totals() const override { return {}; }

  std::map<pid_t, uint64_t> walkers;
  std::map<pid_t, uint64_t> states;
};

class FakeFinder final : public ReaderFinder {
 public:
  Found find_reader(pid_t) override {
    ++times_asked;
    return found;
  }
  bool may_bring_runtime(std::string_view path) const override { return path == "/lib/libscript.so"; }

  Found found;
  int times_asked = 0;
};

class LanguageStacksTest : public testing::Test {
 protected:
  LanguageStacksTest() {
    stacks_.set_finder(&finder_);
    process_.pid = 42;
  }
  void find_interpreter() {
    finder_.found.reader = reader_;
    stacks_.look_at(process_, 1);
  }
  const std::vector<MixedFrame>* mix(const std::vector<uint64_t>& codes, uint16_t flags = ATYS_WALKED,
                                     std::vector<uint64_t> native = {kForeign, kEvaluator + 8}) {
    walked_.clear();
    for (const uint64_t code : codes) walked_.push_back({.code = code, .position = 0});
    RawSample sample{.time_ns = now_ns_, .pid = 42, .tid = 42};
    sample.walked = walked_;
    sample.walk_flags = flags;
    const unwind::Walk walk{.addresses = std::move(native), .is_exact = {}, .end = unwind::End::Root};
    return stacks_.mix(process_, sample, walk);
  }
  uint64_t lost() const {
    uint64_t count = 0;
    for (const auto& [reason, samples] : stacks_.losses()) count += samples;
    return count;
  }

  FakeSource source_;
  FakeFinder finder_;
  CodeModules modules_{{}};
  LanguageStacks stacks_{source_, modules_};
  std::shared_ptr<FakeReader> reader_ = std::make_shared<FakeReader>();
  Process process_;
  uint64_t now_ns_ = 1;
  std::vector<atys_walked> walked_;
};

TEST_F(LanguageStacksTest, tells_the_source_how_to_walk_and_which_threads_there_are) {
  find_interpreter();
  EXPECT_EQ(source_.walkers, (std::map<pid_t, uint64_t>{{42, 0x1234}}));
  EXPECT_EQ(source_.states, (std::map<pid_t, uint64_t>{{7, 0x700}, {8, 0x800}}));
  EXPECT_EQ(modules_.reader(process_.language.module), reader_.get());
  stacks_.look_at(process_, 100 * kMillisecond);
  EXPECT_EQ(finder_.times_asked, 1);
}

TEST_F(LanguageStacksTest, looks_once_at_a_process_without_an_interpreter) {
  for (uint64_t ms = 1; ms < 100'000; ms += 10) stacks_.look_at(process_, ms * kMillisecond);
  EXPECT_EQ(finder_.times_asked, 1);
  EXPECT_TRUE(source_.walkers.empty());
  EXPECT_EQ(mix({5}), nullptr);
}

TEST_F(LanguageStacksTest, looks_ever_less_often_for_an_interpreter_that_is_not_ready) {
  finder_.found.ask_again = true;
  stacks_.look_at(process_, kMillisecond);
  stacks_.look_at(process_, 2 * kMillisecond);
  EXPECT_EQ(finder_.times_asked, 1) << "not at once";
  for (uint64_t ms = 3; ms < 1000; ++ms) stacks_.look_at(process_, ms * kMillisecond);
  EXPECT_GT(finder_.times_asked, 4);
  EXPECT_LT(finder_.times_asked, 12);
  for (uint64_t ms = 1000; ms < 1'000'000; ms += 10) stacks_.look_at(process_, ms * kMillisecond);
  EXPECT_LE(finder_.times_asked, 13) << "not for ever";
}

TEST_F(LanguageStacksTest, looks_again_when_a_library_comes_that_may_be_one) {
  ProcessTable processes;
  Process& own = processes.process(::getpid());
  stacks_.look_at(own, 1);
  EXPECT_EQ(finder_.times_asked, 1);
  linux::PerfRecord record{.time_ns = 500, .body = linux::MapRecord{.pid = ::getpid()}};
  auto& range = std::get<linux::MapRecord>(record.body).range;
  range.path = "/lib/libother.so";
  range.is_executable = true;
  stacks_.on_process_record(record, processes);
  stacks_.look_at(own, 600);
  EXPECT_EQ(finder_.times_asked, 1);
  range.path = "/lib/libscript.so";
  stacks_.on_process_record(record, processes);
  stacks_.look_at(own, 400);
  EXPECT_EQ(finder_.times_asked, 1) << "it is not there yet";
  stacks_.look_at(own, 600);
  EXPECT_EQ(finder_.times_asked, 2);
}

TEST_F(LanguageStacksTest, mixes_what_the_reader_made_of_the_walk) {
  find_interpreter();
  const auto* mixed = mix({5});
  ASSERT_NE(mixed, nullptr);
  EXPECT_EQ(*mixed, (std::vector<MixedFrame>{{false, 0}, {true, 5}}));
  EXPECT_EQ(lost(), 0U);
  EXPECT_EQ(mix({}), nullptr);
  EXPECT_EQ(mix({0}), nullptr) << "it runs none of its code";
  EXPECT_EQ(lost(), 0U);
}

TEST_F(LanguageStacksTest, counts_what_is_torn_cut_or_does_not_fit) {
  find_interpreter();
  EXPECT_EQ(mix({666}), nullptr);
  EXPECT_EQ(lost(), 1U);
  EXPECT_NE(mix({5}, ATYS_WALKED | ATYS_WALK_CUT), nullptr);
  EXPECT_EQ(lost(), 2U);
  EXPECT_NE(mix({5, 6, 7}), nullptr);
  EXPECT_EQ(lost(), 3U);
  EXPECT_EQ(stacks_.losses().size(), 3U);
  stacks_.forget_losses();
  EXPECT_EQ(lost(), 0U);
}

TEST_F(LanguageStacksTest, lists_threads_again_for_one_that_nobody_knows_but_not_at_every_sample) {
  find_interpreter();
  EXPECT_EQ(reader_->times_asked, 1);
  for (now_ns_ = kMillisecond; now_ns_ <= 100 * kMillisecond; now_ns_ += kMillisecond)
    (void)mix({}, ATYS_WALKED | ATYS_UNKNOWN_STATE);
  EXPECT_GT(reader_->times_asked, 3);
  EXPECT_LT(reader_->times_asked, 8);
  const int asked = reader_->times_asked;
  for (; now_ns_ <= 200 * kMillisecond; now_ns_ += kMillisecond) (void)mix({5});
  EXPECT_EQ(reader_->times_asked, asked);
}

TEST_F(LanguageStacksTest, lists_threads_once_for_all_that_stand_still) {
  find_interpreter();
  const int asked = reader_->times_asked;
  for (const pid_t tid : {7, 8, 7, 9}) {
    RawSample sample{.time_ns = kMillisecond, .pid = 42, .tid = tid};
    sample.stands_still = true;
    const RawSample walked = stacks_.walk_still(process_, sample);
    EXPECT_FALSE(walked.stands_still);
    EXPECT_EQ((walked.walk_flags & ATYS_WALKED) != 0, tid != 9) << tid;
  }
  EXPECT_EQ(reader_->times_asked, asked + 1);
  RawSample later{.time_ns = 100 * kMillisecond, .pid = 42, .tid = 7};
  later.stands_still = true;
  (void)stacks_.walk_still(process_, later);
  EXPECT_EQ(reader_->times_asked, asked + 2);
}

}  // namespace
}  // namespace atys::capture::native
