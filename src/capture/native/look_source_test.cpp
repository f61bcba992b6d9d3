// SPDX-License-Identifier: Apache-2.0
// Looks at processes that a test makes up, in tier memory: what /proc shows of each thread and what an interpreter runs in
// it as lines, text stacks out.
//
//   pid=5000007 ran=1000 frames=a;b       as the thread is at the next look; [tid=N] [waits=1] [started=N] [parent=PID]
#include "capture/native/look_source.h"

#include <gtest/gtest.h>

#include "support/fake_memory.h"
#include "support/replayed_stacks.h"

namespace atys::capture::native {
namespace {

using test::RecordedLine;

constexpr uint64_t kMillisecond = 1'000'000;

// Frames of the interpreter of all processes and threads: the state of a thread, and frames behind it.
class Interpreters {
 public:
  static uint64_t state_of(pid_t tid) { return static_cast<uint64_t>(tid) << 20; }

  void show(pid_t tid, const std::string& frames) {
    const uint64_t state = state_of(tid);
    if (shown_.insert(tid).second) memory_.map(state, 1 << 16);
    const auto letters = test::parts_of(frames, ';');  // root first
    uint64_t caller = 0;
    for (const std::string& letter : letters) {
      const uint64_t frame = caller == 0 ? state + 0x100 : caller + 0x20;
      memory_.put<uint64_t>(frame, caller);
      memory_.put<uint64_t>(frame + 8, static_cast<uint64_t>(letter.front()));
      caller = frame;
    }
    memory_.put<uint64_t>(state, caller);
  }
  std::unique_ptr<linux::MemoryReader> open() { return std::make_unique<test::BorrowedMemory>(memory_); }
  test::FakeMemory& memory() { return memory_; }

 private:
  test::FakeMemory memory_;
  std::set<pid_t> shown_;
};

class LookReplay : public testing::Test {
 protected:
  static constexpr pid_t kPid = 5'000'007;  // beyond what any system gives out

  explicit LookReplay(uint64_t max_samples = 0)
      : source_(LookSource::open({.tier = "memory",
                                  .period_ns = 1,
                                  .max_samples = max_samples,
                                  .with_children = true,
                                  .open_memory = [this](pid_t) { return interpreters_.open(); }})
                    .take()),
        scene_(*source_) {}

  // What the threads are like from now on.
  void show(const std::string& text) {
    scene_.reader->states.clear();
    for (const RecordedLine& line : test::lines_of(text)) {
      const auto pid = static_cast<pid_t>(line.number("pid", kPid));
      const auto tid = static_cast<pid_t>(line.number("tid", static_cast<uint64_t>(pid)));
      scene_.proc.show({.pid = pid,
                        .tid = tid,
                        .ran_ns = line.number("ran"),
                        .activity = line.has("waits") ? "0 0x1 0x2 0x3 0x4 0x5 0x6 0x7000 0x8000" : "running",
                        .parent = static_cast<int>(line.number("parent", 1)),
                        .started = line.number("started", 100)});
      if (!line.has("frames")) continue;
      interpreters_.show(tid, line.text("frames"));
      scene_.reader->states.emplace_back(tid, Interpreters::state_of(tid));
    }
  }
  void begin(const std::string& text) {
    show(text);
    ASSERT_TRUE(source_->add_process(kPid).ok());
    scene_.has_interpreter(kPid);
    scene_.collector.look_at(kPid, 1);
    ASSERT_TRUE(source_->start().ok());
  }
  // One look: the clock says when.
  void look() {
    std::vector<pollfd> fds;
    source_->add_wakeups(fds);
    ASSERT_EQ(fds.size(), 1U);
    ASSERT_EQ(::poll(fds.data(), 1, -1), 1);
    source_->collect(scene_.collector);
  }
  void look(const std::string& text) {
    show(text);
    look();
  }
  std::string stacks() { return scene_.text(source_->totals()); }

  Interpreters interpreters_;
  std::unique_ptr<SampleSource> source_;
  test::ReplayedStacks scene_;
};

TEST_F(LookReplay, tells_of_each_look_what_the_thread_ran_since_the_one_before) {
  begin("ran=1000 frames=a");
  look("ran=1500 frames=a;b");
  look("ran=1600 frames=a;b");
  look("ran=2600 frames=a;c");
  EXPECT_EQ(stacks(), "5000007/5000007 app: script.a;script.b 2 600\n5000007/5000007 app: script.a;script.c 1 1000\n");
  EXPECT_EQ(source_->totals().samples, 3U);
  EXPECT_EQ(source_->totals().weight, 1600U);
}

TEST_F(LookReplay, tells_nothing_of_threads_that_did_not_run) {
  begin("ran=1000 frames=a");
  look("ran=1000 frames=a");
  look("ran=5000 frames=a waits=1");
  EXPECT_EQ(stacks(), "");
}

TEST_F(LookReplay, tells_what_ran_unseen_of_the_next_stack_that_is_seen) {
  begin("ran=0 frames=a");
  look("ran=900 frames=a;slept waits=1");
  look("ran=1000 frames=a;b");
  EXPECT_EQ(stacks(), "5000007/5000007 app: script.a;script.b 1 1000\n");
}

TEST_F(LookReplay, tells_threads_apart) {
  begin("ran=0 frames=a\ntid=5000008 ran=0 frames=x waits=1");
  look("ran=10 frames=a;b\ntid=5000008 ran=0 frames=x waits=1");
  look("ran=10 frames=a;b waits=1\ntid=5000008 ran=20 frames=x;y");
  EXPECT_EQ(stacks(), "5000007/5000007 app: script.a;script.b 1 10\n5000007/5000008 app: script.x;script.y 1 20\n");
}

TEST_F(LookReplay, counts_stacks_that_change_while_they_are_read) {
  begin("ran=0 frames=a;b");
  uint64_t position = 0;
  interpreters_.memory().after_read = [&](uint64_t) {
    interpreters_.memory().put<uint64_t>(Interpreters::state_of(kPid) + 0x120,
                                         Interpreters::state_of(kPid) + 0x100 + 0x20 * (++position % 2));
  };
  look("ran=500 frames=a;b");
  EXPECT_EQ(stacks(),
            "5000007/5000007 : [no stack] 1 500\n"
            "lost: stacks of an interpreter that changed while they were read 1\n");
}

TEST_F(LookReplay, survives_states_and_frames_that_lead_nowhere) {
  begin("ran=0 frames=a;b");
  interpreters_.memory().put<uint64_t>(Interpreters::state_of(kPid), 0xdead0000);
  scene_.proc.show({.pid = kPid, .tid = kPid, .ran_ns = 500});
  look();
  interpreters_.memory().put<uint64_t>(Interpreters::state_of(kPid), 0);
  scene_.proc.show({.pid = kPid, .tid = kPid, .ran_ns = 700});
  look();
  EXPECT_EQ(stacks(),
            "5000007/5000007 : [no stack] 2 700\n"
            "lost: stacks of an interpreter that changed while they were read 1\n");
}

TEST_F(LookReplay, finds_children_and_counts_what_they_run_without_an_interpreter) {
  begin("ran=0 frames=a");
  scene_.proc.show_load(1, 5'000'020);
  look("ran=10 frames=a\npid=5000020 ran=0 waits=1 parent=5000007\npid=5000021 ran=0 waits=1 parent=1");
  look("ran=20 frames=a\npid=5000020 ran=50000000 waits=1 parent=5000007\npid=5000021 ran=50000000 parent=1");
  source_->collect_counts(scene_.collector);
  EXPECT_EQ(stacks(), "5000007/5000007 app: script.a 2 20\n5000020/5000020 : [no stack] 1 50000000\n");
}

TEST_F(LookReplay, counts_at_the_end_what_was_never_seen_running) {
  begin("ran=0 frames=a");
  look("ran=60000000 frames=a waits=1");
  source_->collect_counts(scene_.collector);
  source_->collect_counts(scene_.collector);
  EXPECT_EQ(stacks(), "5000007/5000007 : [no stack] 1 60000000\n");
}

TEST_F(LookReplay, forgets_a_process_that_is_gone) {
  begin("ran=0 frames=a");
  look("ran=10 frames=a");
  scene_.proc.end(kPid);
  look();
  show("ran=90000000 frames=a");
  look();
  source_->collect_counts(scene_.collector);
  EXPECT_EQ(stacks(), "5000007/5000007 app: script.a 1 10\n");
}

TEST_F(LookReplay, takes_nothing_of_another_process_that_was_given_the_number) {
  begin("ran=0 frames=a");
  look("ran=10 frames=a");
  scene_.proc.show_load(1, 5'000'030);
  uint64_t ran = 20;
  uint64_t before = 0;
  do {  // who has the number is asked when new numbers were given out, and that now and then
    before = source_->totals().samples;
    look("started=999 frames=a ran=" + std::to_string(ran += 10));
  } while (source_->totals().samples != before);
  look("started=999 frames=a ran=90000000");
  source_->collect_counts(scene_.collector);
  EXPECT_LT(source_->totals().weight, ran);
}

TEST_F(LookReplay, tells_only_how_much_where_somebody_else_tells_the_stacks) {
  begin("ran=0 frames=a");
  source_->set_stack_mode(kPid, StackMode::Without);
  look("ran=10 frames=a");
  EXPECT_EQ(stacks(), "5000007/5000007 app: [no stack] 1 10\n");
}

class LimitedLooks : public LookReplay {
 protected:
  LimitedLooks() : LookReplay(1) {}
};

TEST_F(LimitedLooks, end_at_the_limit) {
  begin("ran=0 frames=a");
  look("ran=10 frames=a");
  EXPECT_FALSE(source_->totals().is_limit_reached);
  look("ran=20 frames=a");
  EXPECT_TRUE(source_->totals().is_limit_reached);
  EXPECT_EQ(stacks(), "5000007/5000007 app: script.a 1 10\n");
}

}  // namespace
}  // namespace atys::capture::native
