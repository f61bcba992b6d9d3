// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_recording.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <semaphore>

namespace atys::capture {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};  // nobody waits that long unless something is wrong

// What a recorder is asked to do, and what it shall do then. Outlives it.
struct Script {
  std::function<Result<>()> start = [] { return Result<>(); };
  std::function<Result<Profile>(bool)> take = [](bool is_last) -> Result<Profile> {
    Profile profile;
    profile.add_comment(is_last ? "last" : "not last");
    return profile;
  };
  std::atomic<int> starts = 0;
  std::atomic<int> takes = 0;
  std::atomic<int> last_takes = 0;
  std::atomic<double> hz = 0;  // that it was told last
  std::atomic<int> calls_at_once = 0;
  std::atomic<bool> overlapped = false;
  std::atomic<bool> is_gone = false;
  int wakeup_fd = -1;  // of a pipe
  std::vector<pid_t> covered{7, 8};
  std::string heard;  // what came through it last; after "!" nothing more is looked at
  std::counting_semaphore<> woken{0};
  std::function<void(std::chrono::steady_clock::time_point)> end_by = [](auto) {};
};

class ScriptedRecorder final : public OwnRecorder {
 public:
  explicit ScriptedRecorder(Script& script) : script_(script) {}
  ~ScriptedRecorder() override { script_.is_gone = true; }

  Result<> start() override {
    const Call call(script_);
    ++script_.starts;
    return script_.start();
  }
  Result<Profile> take(bool is_last) override {
    const Call call(script_);
    ++(is_last ? script_.last_takes : script_.takes);
    return script_.take(is_last);
  }
  void set_rate(double hz) override {
    const Call call(script_);
    script_.hz = hz;
  }
  void end_by(std::chrono::steady_clock::time_point time) override { script_.end_by(time); }
  std::vector<pid_t> covered_threads() const override {
    const Call call(script_);
    return script_.covered;
  }
  std::vector<pid_t> made_threads() const override {
    const Call call(script_);
    return {9};
  }
  int wakeup_fd() const override { return script_.heard == "!" ? -1 : script_.wakeup_fd; }
  void on_wakeup() override {
    const Call call(script_);
    char byte = 0;
    if (::read(script_.wakeup_fd, &byte, 1) == 1) script_.heard = byte;
    script_.woken.release();
  }

 private:
  struct Call {
    explicit Call(Script& of) : script(of) {
      if (++script.calls_at_once > 1) script.overlapped = true;
    }
    ~Call() { --script.calls_at_once; }
    Script& script;
  };
  Script& script_;
};

std::unique_ptr<OwnRecording> record(Script& script) {
  return std::make_unique<OwnRecording>(42, std::make_unique<ScriptedRecorder>(script));
}

std::string comment(const Result<Profile>& taken) {
  if (!taken.ok()) return "failed: " + taken.error().message;
  return taken->header.comments.empty() ? "" : std::string(taken->text(taken->header.comments[0]));
}

TEST(own_recording, starts_at_once_and_hands_over_what_was_recorded) {
  Script script;
  const auto recording = record(script);
  EXPECT_EQ(recording->pid(), 42);
  EXPECT_TRUE(recording->is_settled(kLong));
  EXPECT_EQ(script.starts, 1);
  EXPECT_EQ(comment(recording->take(false, kLong)), "not last");
  EXPECT_EQ(comment(recording->take(false, kLong)), "not last");
  EXPECT_EQ(comment(recording->take(true, kLong)), "last");
  EXPECT_EQ(recording->covered_threads(), (std::vector<pid_t>{7, 8}));
  EXPECT_FALSE(script.overlapped);
}

// A recorder at work may be changing what it would tell.
TEST(own_recording, tells_its_threads_while_a_call_is_under_way_without_asking_the_recorder) {
  Script script;
  std::binary_semaphore taking{0}, may_go_on{0};
  script.take = [&](bool) -> Result<Profile> {
    script.covered = {};
    taking.release();
    may_go_on.acquire();
    script.covered = {10};
    return Profile();
  };
  const auto recording = record(script);
  ASSERT_TRUE(recording->is_settled(kLong));
  recording->ask(false);
  taking.acquire();
  EXPECT_EQ(recording->covered_threads(), (std::vector<pid_t>{7, 8})) << "as of the last call that is over";
  EXPECT_EQ(recording->made_threads(), std::vector<pid_t>{9});
  EXPECT_FALSE(recording->covers_all());
  may_go_on.release();
  EXPECT_TRUE(recording->answer(kLong).ok());
  EXPECT_EQ(recording->covered_threads(), std::vector<pid_t>{10});
  EXPECT_FALSE(script.overlapped);
}

TEST(own_recording, is_told_a_rate_between_calls_and_loses_no_answer_by_it) {
  Script script;
  const auto recording = record(script);
  for (int hz = 1; hz <= 200; ++hz) {
    if (hz % 2 == 0) recording->ask(false);
    recording->set_rate(hz);
    if (hz % 2 != 0) recording->ask(false);
    ASSERT_EQ(comment(recording->answer(kLong)), "not last") << hz;
  }
  EXPECT_EQ(comment(recording->take(true, kLong)), "last");
  EXPECT_GT(script.hz, 100);
  EXPECT_FALSE(script.overlapped);
}

TEST(own_recording, tries_again_when_the_runtime_is_not_ready_yet) {
  Script script;
  script.start = [&]() -> Result<> {
    if (script.starts < 4) return fail(ErrorCode::Unavailable, "not yet");
    return {};
  };
  const auto recording = record(script);
  EXPECT_TRUE(recording->is_settled(kLong));
  EXPECT_EQ(script.starts, 4);
  EXPECT_EQ(comment(recording->take(true, kLong)), "last");
}

TEST(own_recording, does_not_try_again_when_it_cannot_work) {
  Script script;
  script.start = []() -> Result<> { return fail(ErrorCode::PermissionDenied, "it refuses"); };
  const auto recording = record(script);
  EXPECT_TRUE(recording->is_settled(kLong));
  EXPECT_EQ(comment(recording->take(false, kLong)), "failed: it refuses");
  EXPECT_EQ(comment(recording->take(true, kLong)), "failed: it refuses");
  EXPECT_EQ(script.starts, 1);
  EXPECT_EQ(script.takes + script.last_takes, 0) << "what did not start is not asked";
}

TEST(own_recording, a_start_that_never_works_ends_with_the_last_take) {
  Script script;
  script.start = []() -> Result<> { return fail(ErrorCode::Unavailable, "not yet"); };
  const auto recording = record(script);
  EXPECT_EQ(comment(recording->take(true, kLong)), "failed: not yet");
}

TEST(own_recording, waits_for_a_slow_start_no_longer_than_it_has_patience) {
  std::binary_semaphore go(0);
  Script script;
  script.start = [&]() -> Result<> { return go.acquire(), Result<>(); };
  const auto recording = record(script);
  EXPECT_FALSE(recording->is_settled(milliseconds(0)));
  EXPECT_EQ(recording->take(false, milliseconds(0)).error().code, ErrorCode::Unavailable);
  go.release();
  EXPECT_TRUE(recording->is_settled(kLong));
  EXPECT_EQ(comment(recording->take(true, kLong)), "last");
  EXPECT_FALSE(script.overlapped);
}

TEST(own_recording, hands_over_an_error_and_goes_on) {
  Script script;
  script.take = [&](bool is_last) -> Result<Profile> {
    if (!is_last) return fail(ErrorCode::InvalidInput, "garbled");
    return Profile();
  };
  const auto recording = record(script);
  EXPECT_EQ(comment(recording->take(false, kLong)), "failed: garbled");
  EXPECT_TRUE(recording->take(true, kLong).ok());
}

// The native samples stand for what came too late; the next answer is of the next question.
TEST(own_recording, an_answer_that_came_too_late_is_not_taken_for_the_next) {
  std::binary_semaphore is_asked(0);
  std::binary_semaphore go(0);
  Script script;
  script.take = [&](bool is_last) -> Result<Profile> {
    if (!is_last) {
      is_asked.release();
      go.acquire();
    }
    Profile profile;
    profile.add_comment(is_last ? "last" : "late");
    return profile;
  };
  const auto recording = record(script);
  auto patience = milliseconds(1);
  do {
    EXPECT_FALSE(recording->take(false, patience *= 2).ok());
  } while (!is_asked.try_acquire());  // else it gave up before its order was seen
  std::thread releasing([&] {
    std::this_thread::sleep_for(milliseconds(20));  // so that most likely the next order is there before that answer
    go.release();
  });
  EXPECT_EQ(comment(recording->take(true, kLong)), "last");
  releasing.join();
  EXPECT_EQ(script.last_takes, 1) << "the runtime was told to stop";
  EXPECT_FALSE(script.overlapped);
}

TEST(own_recording, ends_while_a_start_is_under_way) {
  std::binary_semaphore is_asked(0);
  std::binary_semaphore go(0);
  Script script;
  script.start = [&]() -> Result<> { return is_asked.release(), go.acquire(), Result<>(); };
  auto recording = record(script);
  is_asked.acquire();
  std::thread ending([&] { recording.reset(); });
  EXPECT_FALSE(script.is_gone) << "a call is under way";
  go.release();
  ending.join();
  EXPECT_TRUE(script.is_gone);
  EXPECT_EQ(script.calls_at_once, 0);
}

TEST(own_recording, ends_between_two_tries) {
  Script script;
  script.start = []() -> Result<> { return fail(ErrorCode::Unavailable, "not yet"); };
  record(script).reset();
  EXPECT_TRUE(script.is_gone);
  EXPECT_LE(script.starts, 10);
}

TEST(own_recording, ends_when_nobody_ever_asked) {
  for (int i = 0; i < 50; ++i) {
    Script script;
    record(script).reset();
    EXPECT_TRUE(script.is_gone);
    EXPECT_EQ(script.last_takes, 0);
  }
}

TEST(own_recording, leaves_signals_to_other_threads) {
  Script script;
  std::atomic<bool> is_blocked = false;
  script.start = [&]() -> Result<> {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    is_blocked = ::sigismember(&blocked, SIGINT) == 1 && ::sigismember(&blocked, SIGTERM) == 1;
    return {};
  };
  EXPECT_TRUE(record(script)->is_settled(kLong));
  EXPECT_TRUE(is_blocked);
}

TEST(OwnRecording, hears_what_the_runtime_tells_between_orders) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd to_read(ends[0]);
  const UniqueFd to_write(ends[1]);
  Script script;
  script.wakeup_fd = to_read.get();
  auto recording = record(script);
  for (const char* text : {"1", "2", "!"}) {
    ASSERT_EQ(::write(to_write.get(), text, 1), 1);
    ASSERT_TRUE(script.woken.try_acquire_for(kLong));
    EXPECT_EQ(script.heard, text);
    EXPECT_EQ(comment(recording->take(false, kLong)), "not last");
  }
  ASSERT_EQ(::write(to_write.get(), "4", 1), 1);
  EXPECT_EQ(comment(recording->take(true, kLong)), "last");
  recording.reset();
  EXPECT_EQ(script.heard, "!") << "it was said that nothing more is of interest";
  EXPECT_FALSE(script.overlapped);
}

TEST(OwnRecording, does_not_listen_to_a_runtime_that_did_not_start) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd to_read(ends[0]);
  const UniqueFd to_write(ends[1]);
  ASSERT_EQ(::write(to_write.get(), "1", 1), 1);
  Script script;
  script.wakeup_fd = to_read.get();
  script.start = [] { return Result<>(fail(ErrorCode::Unsupported, "no")); };
  auto recording = record(script);
  EXPECT_EQ(comment(recording->take(true, kLong)), "failed: no");
  recording.reset();
  EXPECT_EQ(script.heard, "");
}

// What blocks here goes on only if somebody says when it has to end.
TEST(own_recording, tells_a_call_that_is_under_way_when_to_end) {
  for (const bool is_asked : {true, false}) {
    Script script;
    std::binary_semaphore is_told(0);
    std::binary_semaphore has_begun(0);
    std::atomic<int> times_told = 0;
    std::chrono::steady_clock::time_point end;
    script.end_by = [&](auto time) {
      end = time;
      ++times_told;
      is_told.release();
    };
    script.start = [&]() -> Result<> {
      has_begun.release();
      is_told.acquire();
      return fail(ErrorCode::Unsupported, "out of time");
    };
    const auto before = std::chrono::steady_clock::now();
    {
      OwnRecording recording(42, std::make_unique<ScriptedRecorder>(script));
      has_begun.acquire();
      EXPECT_FALSE(is_asked && recording.take(true, kLong).ok());
    }
    EXPECT_EQ(times_told, 1) << "the time runs from the first";
    EXPECT_GT(end, before);
    EXPECT_EQ(script.last_takes, 0);
  }
}

TEST(own_recording, knows_when_its_process_has_ended) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  Script script;
  {
    OwnRecording recording(child, std::make_unique<ScriptedRecorder>(script));
    EXPECT_FALSE(recording.has_ended());
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(recording.has_ended());
    EXPECT_TRUE(recording.take(true, kLong).ok());  // what it recorded can still be had
  }
  EXPECT_TRUE(OwnRecording(child, std::make_unique<ScriptedRecorder>(script)).has_ended());
}

}  // namespace
}  // namespace atys::capture
