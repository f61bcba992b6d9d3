// SPDX-License-Identifier: Apache-2.0
// What the rings of perf events tell, replayed: lines in (support/perf_record_text.h), text stacks out.
#include "capture/native/ring_stacks.h"

#include <gtest/gtest.h>

#include "base/byte_source.h"
#include "support/perf_record_text.h"
#include "support/replayed_stacks.h"
#include "support/sampler_record_text.h"

namespace atys::capture::native {
namespace {

using test::lines_of;
using test::RecordedLine;

// Names and frames of an interpreter that the system would give; and more records, as they come while others are looked at.
class ToldSystem final : public RingStacks::System {
 public:
  std::string thread_name(pid_t, pid_t tid) override {
    ++times_asked;
    return names[tid];
  }
  void add_walk(RawSample& sample) override {
    if (const auto walk = walks.find(sample.tid); walk != walks.end()) sample.walked = walk->second;
  }
  void take_more() override {
    if (more) more();
  }

  std::map<pid_t, std::string> names;
  std::map<pid_t, std::vector<atys_walked>> walks;
  std::function<void()> more;
  int times_asked = 0;
};

class RingReplay : public testing::Test {
 protected:
  void begin(const RingStacks::Rules& rules) { stacks_.emplace(rules); }
  void SetUp() override { begin({}); }

  void take(const std::string& text) {
    for (const RecordedLine& line : lines_of(text)) {
      const std::string bytes = test::perf_record(line, scene_.names);
      ASSERT_FALSE(bytes.empty()) << line.what;
      stacks_->take(as_byte_span(bytes));
    }
  }
  void play(const std::string& text) {
    take(text);
    stacks_->hand_over(scene_.collector, system_);
  }
  std::string stacks() { return scene_.text(stacks_->totals()); }

  test::ReplayedStacks scene_;
  ToldSystem system_;
  std::optional<RingStacks> stacks_;
};

TEST_F(RingReplay, shows_user_and_kernel_frames_and_what_samples_stand_for) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 name pid=7 comm=app\n"
      "at=3 sample pid=7 stack=app.main;app.f kernel=kernel.entry;kernel.read period=1000\n"
      "at=4 sample pid=7 stack=app.main;app.f kernel=kernel.entry;kernel.read period=500\n"
      "at=5 sample pid=7 tid=8 kernel=kernel.entry period=10\n");
  EXPECT_EQ(stacks(),
            "7/7 app: app.main;app.f;kernel.entry;kernel.read 2 1500\n"
            "7/8 : kernel.entry 1 10\n");
  EXPECT_EQ(stacks_->totals().samples, 3U);
  EXPECT_EQ(stacks_->totals().weight, 1510U);
}

TEST_F(RingReplay, shares_time_among_timers_that_tick_side_by_side) {
  stacks_->set_timers(4);
  play(
      "at=1 sample pid=7 kernel=kernel.a period=1000\n"
      "at=2 sample pid=7 kernel=kernel.b period=1\n");
  EXPECT_EQ(stacks(), "7/7 : kernel.a 1 250\n7/7 : kernel.b 1 1\n");
}

TEST_F(RingReplay, counts_events_and_not_time_where_there_is_no_clock) {
  begin({.is_clock = false});
  stacks_->set_timers(4);
  play("at=1 sample pid=7 kernel=kernel.fault period=1000\n");
  EXPECT_EQ(stacks(), "7/7 : kernel.fault 1 1000\n");
  EXPECT_EQ(stacks_->totals().weight, 0U);
}

TEST_F(RingReplay, puts_the_records_of_several_rings_in_the_order_of_time) {
  scene_.names.put_over("new", "old");
  play(
      "at=1 map pid=7 file=old\n"  // the ring of the first CPU
      "at=4 sample pid=7 stack=new.main\n"
      "at=6 sample pid=7 stack=new.main\n"
      "at=2 sample pid=7 stack=old.main\n"  // and of the second
      "at=3 map pid=7 file=new\n");
  EXPECT_EQ(stacks(), "7/7 : new.main 2 2\n7/7 : old.main 1 1\n");
}

TEST_F(RingReplay, takes_frame_pointers_or_the_copy_as_it_is_told) {
  stacks_->set_stack_mode(7, StackMode::ByFramePointer);
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 map pid=8 file=app\n"
      "at=3 sample pid=7 stack=app.main;app.f stack_bytes=0\n"
      "at=4 sample pid=7 stack=app.main;app.f\n"
      "at=5 sample pid=8 stack=app.main;app.f frames=3\n");
  stacks_->set_stack_mode(7, StackMode::ByCopy);
  play("at=6 sample pid=7 stack=app.main;app.f\n");
  EXPECT_EQ(stacks(), "7/7 : app.main;app.f 3 3\n8/8 : app.main;app.f 1 1\n");
}

TEST_F(RingReplay, asks_for_a_threads_name_once_and_follows_its_changes) {
  system_.names = {{7, "first"}};
  play(
      "at=1 sample pid=7 kernel=kernel.a\n"
      "at=2 sample pid=7 kernel=kernel.a\n"
      "at=3 name pid=7 comm=second\n"
      "at=4 sample pid=7 kernel=kernel.a\n"
      "at=5 exit pid=7\n");
  EXPECT_EQ(system_.times_asked, 1);
  system_.names = {{7, "another"}};
  play("at=6 sample pid=7 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "7/7 another: kernel.a 1 1\n7/7 first: kernel.a 2 2\n7/7 second: kernel.a 1 1\n");
}

class AmongAllProcesses : public RingReplay {
 protected:
  void SetUp() override {
    begin({.with_children = true, .own_pid = 99});
    stacks_->see_all(true);
    stacks_->add_target(7, 0);
  }
};

TEST_F(AmongAllProcesses, those_of_the_target_are_taken) {
  play(
      "at=1 sample pid=7 kernel=kernel.a\n"
      "at=2 sample pid=8 kernel=kernel.a\n"
      "at=3 sample pid=0 kernel=kernel.idle\n"
      "at=4 sample pid=4294967295 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "7/7 : kernel.a 1 1\n");
}

TEST_F(AmongAllProcesses, children_are_taken_from_their_first_moment_on) {
  play(
      "at=3 sample pid=9 kernel=kernel.a\n"
      "at=2 fork pid=9 parent=8\n"
      "at=1 fork pid=8 parent=7\n"
      "at=2 fork pid=30 parent=29\n"
      "at=3 sample pid=30 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "9/9 : kernel.a 1 1\n");
}

TEST_F(AmongAllProcesses, a_stranger_that_has_the_number_of_one_that_ended_is_not_taken) {
  play(
      "at=1 fork pid=8 parent=7\n"
      "at=2 sample pid=8 kernel=kernel.a\n"
      "at=3 exit pid=8\n"
      "at=4 fork pid=8 parent=1\n"
      "at=5 sample pid=8 kernel=kernel.stranger\n");
  EXPECT_EQ(stacks(), "8/8 : kernel.a 1 1\n");
}

TEST_F(AmongAllProcesses, threads_of_the_target_take_nothing_from_it) {
  play(
      "at=1 fork pid=7 parent=7 tid=17\n"
      "at=2 exit pid=7 tid=17\n"
      "at=3 sample pid=7 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "7/7 : kernel.a 1 1\n");
}

TEST_F(AmongAllProcesses, one_that_was_named_after_it_began_stays) {
  take("at=1 fork pid=12 parent=1\n");
  stacks_->add_target(12, 2);
  play("at=3 sample pid=12 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "12/12 : kernel.a 1 1\n");
}

TEST_F(RingReplay, of_a_whole_host_everybody_is_taken_but_we) {
  begin({.whole_host = true, .own_pid = 99});
  stacks_->see_all(true);
  play(
      "at=1 sample pid=7 kernel=kernel.a\n"
      "at=2 sample pid=99 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "7/7 : kernel.a 1 1\n");
}

TEST_F(RingReplay, ends_at_the_limit_of_samples) {
  begin({.max_samples = 2});
  play(
      "at=1 sample pid=7 kernel=kernel.a\n"
      "at=2 sample pid=7 kernel=kernel.a\n");
  EXPECT_FALSE(stacks_->totals().is_limit_reached);
  play("at=3 sample pid=7 kernel=kernel.a\n");
  EXPECT_TRUE(stacks_->totals().is_limit_reached);
  EXPECT_EQ(stacks(), "7/7 : kernel.a 2 2\n");
}

TEST_F(RingReplay, puts_frames_of_an_interpreter_that_were_read_beside_into_the_stack) {
  scene_.has_interpreter(7);
  system_.walks[7] = test::walked_frames("a;b");
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 sample pid=7 stack=app.main;app.eval\n");
  EXPECT_EQ(stacks(), "7/7 : app.main;script.a;script.b 1 1\n");
}

TEST_F(RingReplay, keeps_for_the_next_turn_what_comes_meanwhile) {
  std::string many;
  for (int i = 0; i < 40; ++i) many += "at=1 sample pid=7 kernel=kernel.a\n";
  int turns = 0;
  system_.more = [&] {
    if (++turns == 1) take("at=2 sample pid=7 kernel=kernel.late\n");
  };
  play(many);
  EXPECT_EQ(stacks(), "7/7 : kernel.a 40 40\n");
  EXPECT_TRUE(stacks_->has_taken());
  EXPECT_EQ(turns, 2);
  play("");
  EXPECT_EQ(stacks(), "7/7 : kernel.a 40 40\n7/7 : kernel.late 1 1\n");
  EXPECT_FALSE(stacks_->has_taken());
}

TEST_F(RingReplay, tells_what_was_lost) {
  play(
      "at=1 lost count=3\n"
      "at=2 throttle\n"
      "at=3 lost count=4\n"
      "at=4 strange pid=7\n");
  EXPECT_EQ(stacks(),
            "lost: samples that found the ring full 7\n"
            "lost: times that the kernel throttled us 1\n"
            "lost: records of what processes did 7\n");
}

TEST_F(RingReplay, counts_records_that_are_cut_or_lie) {
  play(
      "at=1 sample pid=7 stack=app.main kernel=kernel.a frames=18446744073709551615\n"
      "at=1 sample pid=7 stack=app.main frames=100\n"
      "at=1 sample pid=7 stack=app.main stack_bytes=18446744073709551615\n"
      "at=1 sample pid=7 stack=app.main bytes=100\n"
      "at=1 sample pid=7 bytes=7\n"
      "at=1 sample pid=7 bytes=8\n"
      "at=1 exec pid=7 comm=app bytes=20\n"
      "at=1 fork pid=8 parent=7 bytes=32\n"
      "at=1 exit pid=7 bytes=32\n"
      "at=1 lost count=5 bytes=36\n"
      "at=1 map pid=7 file=app bytes=60\n"
      "at=2 sample pid=7 kernel=kernel.a\n");
  EXPECT_EQ(stacks(), "7/7 : kernel.a 1 1\nlost: records of perf events that make no sense 11\n");
}

TEST_F(RingReplay, believes_no_more_of_a_stack_than_was_copied) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 sample pid=7 stack=app.main;app.f;app.g copied_bytes=16\n"
      "at=3 sample pid=7 stack=app.main;app.f;app.g copied_bytes=4000000000\n");
  EXPECT_EQ(stacks(), "7/7 : app.f;app.g 1 1\n7/7 : app.main;app.f;app.g 1 1\n");
}

}  // namespace
}  // namespace atys::capture::native
