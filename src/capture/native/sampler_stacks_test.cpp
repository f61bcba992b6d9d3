// SPDX-License-Identifier: Apache-2.0
// What the sampler in the kernel tells, replayed: lines in (support/sampler_record_text.h), text stacks out.
#include "capture/native/sampler_stacks.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/byte_source.h"
#include "capture/native/process_records.h"
#include "support/perf_record_text.h"
#include "support/replayed_stacks.h"
#include "support/sampler_record_text.h"

namespace atys::capture::native {
namespace {

using test::lines_of;
using test::RecordedLine;

class SamplerReplay : public testing::Test {
 protected:
  explicit SamplerReplay(bool with_cpu = true, bool with_waits = true) : stacks_(with_cpu, with_waits) {
    stacks_.set_period(100);
  }
  // One turn: what the rings hold is handed over at its end.
  void play(const std::string& text) {
    std::vector<linux::PerfRecord> process_records;
    for (const RecordedLine& line : lines_of(text))
      if (const std::string bytes = test::sampler_record(line, scene_.names); !bytes.empty())
        stacks_.take(as_byte_span(bytes));
      else
        add_process_record(line, process_records);
    sort_by_time(process_records);
    stacks_.hand_over(process_records, scene_.collector);
  }
  void add_process_record(const RecordedLine& line, std::vector<linux::PerfRecord>& records) {
    const std::string bytes = test::perf_record(line, scene_.names);
    ASSERT_FALSE(bytes.empty()) << line.what;
    if (auto record = parse_process_record(as_byte_span(bytes), 0)) records.push_back(std::move(*record));
  }
  // The kernel's counter of a stack is read.
  void count(const atys_stack_key& key, uint64_t samples, uint64_t weight) {
    stacks_.add_count(key, {samples, weight}, scene_.collector);
  }
  void cut(const std::string& text) {
    std::string cuts;
    for (const RecordedLine& line : lines_of(text)) cuts += test::cut_record(line, scene_.names);
    cut_bytes(cuts, text);
  }
  void cut_bytes(const std::string& cuts, const std::string& text) {
    const auto read = [&](pid_t pid, uint64_t address, std::span<std::byte> into) -> size_t {
      for (const RecordedLine& line : lines_of(text)) {
        const test::CopiedStack copy(scene_.names.stack(line.text("stack")));
        if (static_cast<pid_t>(line.pid()) != pid || copy.sp != address) continue;
        const size_t size = std::min(into.size(), copy.words.size() * sizeof(uint64_t));
        std::memcpy(into.data(), copy.words.data(), size);
        return size;
      }
      return 0;
    };
    stacks_.cut_waits(as_byte_span(cuts), read, scene_.collector);
  }
  std::string stacks() {
    SourceTotals totals;
    totals.losses["records that make no sense"] = stacks_.senseless();
    return scene_.text(totals);
  }

  test::ReplayedStacks scene_;
  SamplerStacks stacks_;
};

TEST_F(SamplerReplay, shows_user_and_kernel_frames_of_copied_stacks) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 map pid=7 file=lib\n"
      "at=3 copy pid=7 stack=app.main;lib.read kernel=kernel.entry;kernel.vfs_read weight=1000\n"
      "at=4 copy pid=7 stack=app.main;lib.read kernel=kernel.entry;kernel.vfs_read weight=500\n"
      "at=5 copy pid=7 tid=8 comm=worker stack=app.main weight=1000\n"
      "at=6 copy pid=7 kernel=kernel.entry weight=10\n");
  EXPECT_EQ(stacks(),
            "7/7 app: app.main;lib.read;kernel.entry;kernel.vfs_read 2 1500\n"
            "7/7 app: kernel.entry 1 10\n"
            "7/8 worker: app.main 1 1000\n");
}

TEST_F(SamplerReplay, adds_the_kernels_counts_to_the_stacks_that_they_are_of) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 counted pid=7 stack=app.main;app.f hash=5\n"
      "at=3 counted pid=7 stack=app.main;app.g hash=6\n"
      "at=4 counted pid=7 tid=8 stack=app.main hash=5\n");
  count({7, 7, 5}, 3, 300);
  count({7, 7, 6}, 1, 100);
  count({7, 8, 5}, 2, 200);
  count({7, 7, 5}, 1, 100);
  EXPECT_EQ(stacks_.counted_stacks(), 3U);
  EXPECT_EQ(stacks(),
            "7/7 app: app.main;app.f 4 400\n"
            "7/7 app: app.main;app.g 1 100\n"
            "7/8 app: app.main 2 200\n");
}

TEST_F(SamplerReplay, keeps_counts_whose_stack_found_no_room_in_the_ring) {
  count({7, 7, 5}, 3, 300);
  EXPECT_EQ(stacks(), "7/7 : [no stack] 3 300\n");
}

TEST_F(SamplerReplay, knows_what_a_process_has_mapped_before_we_came) {
  scene_.proc.show_maps(7, "app lib", scene_.names);
  play("at=3 copy pid=7 stack=app.main;lib.f weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: app.main;lib.f 1 1\n");
}

TEST_F(SamplerReplay, takes_what_was_mapped_at_the_time_of_each_sample) {
  scene_.names.put_over("new", "old");
  play(
      "at=10 copy pid=7 stack=new.main weight=1\n"  // the rings of two CPUs are read one after the other
      "at=2 copy pid=7 stack=old.main weight=1\n"
      "at=1 map pid=7 file=old\n"
      "at=5 map pid=7 file=new\n"
      "at=20 map pid=7 file=old\n");
  EXPECT_EQ(stacks(), "7/7 app: new.main 2 2\n") << "records of the sampler are in the order that they were sent in";
  play("at=21 copy pid=7 stack=old.main weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: new.main 2 2\n7/7 app: old.main 1 1\n");
}

TEST_F(SamplerReplay, has_no_name_for_code_that_is_mapped_only_after_the_sample) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 copy pid=7 stack=app.main weight=1\n"
      "at=3 map pid=7 file=app\n"
      "at=4 copy pid=7 stack=app.main weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: ? 1 1\n7/7 app: app.main 1 1\n");
}

TEST_F(SamplerReplay, forgets_the_old_program_when_a_process_executes_another) {
  scene_.names.put_over("new", "old");
  play(
      "at=1 exec pid=7 comm=old\n"
      "at=2 map pid=7 file=old\n"
      "at=3 map pid=7 file=lib\n"
      "at=4 copy pid=7 comm=old stack=old.main;lib.f weight=1\n"
      "at=5 exec pid=7 comm=new\n"
      "at=6 map pid=7 file=new\n"
      "at=7 counted pid=7 comm=new stack=new.main;lib.f hash=5\n");
  count({7, 7, 5}, 1, 1);
  EXPECT_EQ(stacks(), "7/7 new: new.main;? 1 1\n7/7 old: old.main;lib.f 1 1\n");
}

TEST_F(SamplerReplay, gives_a_child_what_its_parent_had_mapped) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 fork pid=8 parent=7\n"
      "at=4 map pid=7 file=lib\n"
      "at=5 counted pid=8 stack=app.main;lib.f hash=5\n"
      "at=6 counted pid=7 stack=app.main;lib.f hash=5\n");
  count({8, 8, 5}, 1, 1);
  count({7, 7, 5}, 1, 1);
  EXPECT_EQ(stacks(), "7/7 app: app.main;lib.f 1 1\n8/8 app: app.main;? 1 1\n");
}

TEST_F(SamplerReplay, takes_a_number_that_is_used_again_for_another_process) {
  scene_.names.put_over("other", "app");
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 copy pid=7 stack=app.main weight=1\n"
      "at=4 exit pid=7\n"
      "at=5 fork pid=7 parent=1\n"
      "at=6 exec pid=7 comm=other\n"
      "at=7 map pid=7 file=other\n"
      "at=8 copy pid=7 comm=other stack=other.main weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: app.main 1 1\n7/7 other: other.main 1 1\n");
}

TEST_F(SamplerReplay, still_knows_the_code_of_a_process_whose_last_samples_come_after_its_end) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 exit pid=7\n");
  play("at=4 copy pid=7 stack=app.main weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: app.main 1 1\n");
}

TEST_F(SamplerReplay, counts_what_the_record_of_processes_has_lost) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 lost count=3\n"
      "at=3 exec pid=9 comm=x bytes=20\n"
      "at=4 copy pid=7 stack=app.main weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: app.main 1 1\nlost: records of what processes did 4\n");
}

TEST_F(SamplerReplay, puts_the_frames_of_an_interpreter_in_the_place_of_its_evaluator) {
  scene_.has_interpreter(7);
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 map pid=7 file=lib\n"
      "at=3 copy pid=7 frames=a;b stack=app.main;app.eval;lib.f weight=1000\n"
      "at=4 walk pid=7 frames=a;c weight=1\n"
      "at=5 copy pid=8 frames=a;b stack=app.main weight=1\n");
  EXPECT_EQ(stacks(),
            "7/7 app: app.main;script.a;script.b;lib.f 1 1000\n"
            "7/7 app: script.a;script.c 1 1\n"
            "8/8 app: ? 1 1\n");
}

TEST_F(SamplerReplay, keeps_native_frames_where_those_of_the_interpreter_make_no_sense) {
  scene_.has_interpreter(7);
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 copy pid=7 frames=a;! stack=app.main;app.eval weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: app.main;app.eval 1 1\nlost: stacks of an interpreter that made no sense 1\n");
}

TEST_F(SamplerReplay, hands_code_to_the_interpreter_before_the_samples_of_it) {
  scene_.has_interpreter(7);
  play(
      "at=1 walk pid=7 frames=a weight=1\n"
      "at=2 code pid=7 address=0x10 cookie=3 text=hello\n"
      "at=3 code pid=7 address=0x10 cookie=3 text=lies copied=4000000000\n");
  EXPECT_EQ(scene_.reader->learnt, std::string("hello\nlies") + std::string(12, '\0') + "\n");
}

TEST_F(SamplerReplay, tells_the_cpu_time_of_threads_that_are_over) {
  play("at=9 thread-end pid=7 tid=8 began=2 cpu=5 waited=3\n");
  const auto ended = scene_.collector.take_ended_threads();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].pid, 7);
  EXPECT_EQ(ended[0].tid, 8);
  EXPECT_EQ(ended[0].began_ns, 2U);
  EXPECT_EQ(ended[0].ended_ns, 9U);
  EXPECT_EQ(ended[0].cpu_ns, 5U);
  EXPECT_EQ(scene_.collector.waited(), (std::map<std::pair<pid_t, pid_t>, uint64_t>{{{7, 8}, 3}}));
}

TEST_F(SamplerReplay, shows_where_threads_waited_and_for_what) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 wait-begin pid=7 stack=app.main;app.lock kernel=kernel.futex pair=9\n"
      "at=3 wait-begin pid=7 tid=8 stack=app.main;app.work pair=11\n"
      "at=4 wait-end pid=7 tid=8 pair=11 weight=250 state=preempted\n"
      "at=5 wait-end pid=7 pair=9 weight=1000\n"
      "at=6 wait pid=7 stack=app.main;app.read pair=12 weight=50\n");
  EXPECT_EQ(stacks(),
            "7/7 app: app.main;app.lock;kernel.futex {blocked} 10 1000\n"
            "7/7 app: app.main;app.read {blocked} 1 50\n"
            "7/8 app: app.main;app.work {cpu} 2 250\n");
}

TEST_F(SamplerReplay, counts_waits_whose_beginning_did_not_arrive) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 wait-begin pid=7 stack=app.main pair=9\n"
      "at=3 wait-end pid=7 pair=8 weight=300\n"
      "at=4 wait-end pid=7 pair=9 weight=100\n"
      "at=5 wait-end pid=7 pair=9 weight=100\n");
  EXPECT_EQ(stacks(), "7/7 : [no stack] 4 400\n7/7 app: app.main {blocked} 1 100\n");
}

TEST_F(SamplerReplay, shows_who_ended_a_wait_and_how_long_that_was_waited_for) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 wait-begin pid=7 stack=app.main;app.pop pair=9\n"
      "at=3 waker pid=7 tid=8 stack=app.main;app.push pair=9\n"
      "at=4 waker pid=99 stack=other.main kernel=kernel.irq pair=5 outside=1\n"
      "at=5 wait-end pid=7 pair=9 weight=1000\n"
      "at=6 wait-end pid=7 pair=5 weight=100\n");
  EXPECT_EQ(stacks(),
            "7/7 : [no stack] 1 100\n"
            "7/7 app: app.main;app.pop {blocked} 10 1000\n"
            "7/8 app: app.main;app.push {waker} 1 1000\n");
}

TEST_F(SamplerReplay, knows_of_a_waker_outside_his_frames_alone) {
  play(
      "at=1 wait-begin pid=7 kernel=kernel.futex pair=9\n"
      "at=2 waker pid=99 comm=secret stack=other.main kernel=kernel.irq pair=9 outside=1\n"
      "at=3 wait-end pid=7 pair=9 weight=100\n");
  EXPECT_EQ(stacks(), "0/0 : ?;kernel.irq {waker} 1 100\n7/7 app: kernel.futex {blocked} 1 100\n");
}

TEST_F(SamplerReplay, cuts_waits_that_go_on) {
  play(
      "at=1 map pid=7 file=app\n"
      "at=2 map pid=8 file=app\n"
      "at=3 wait-begin pid=7 stack=app.main;app.pop pair=9\n");
  cut("at=10 pid=7 pair=9 weight=200 waited=200\n"
      "at=10 pid=7 tid=17 pair=4 weight=100 waited=100\n"
      "at=10 pid=8 stack=app.main;app.sleep kernel=kernel.nanosleep weight=300 waited=300\n"
      "at=10 pid=8 tid=18 waited=5\n");
  EXPECT_EQ(stacks(),
            "7/17 : [no stack] 1 100\n"
            "7/7 app: app.main;app.pop {blocked} 2 200\n"
            "8/8 app: app.main;app.sleep;kernel.nanosleep {blocked} 3 300\n");
  EXPECT_EQ(scene_.collector.waited(),
            (std::map<std::pair<pid_t, pid_t>, uint64_t>{{{7, 7}, 200}, {{7, 17}, 100}, {{8, 8}, 300}, {{8, 18}, 5}}));
  play("at=20 wait-end pid=7 pair=9 weight=100\n");  // what went on of it
  EXPECT_NE(stacks().find("7/7 app: app.main;app.pop {blocked} 3 300\n"), std::string::npos) << stacks();
}

TEST_F(SamplerReplay, reads_no_further_than_a_cut_record_goes) {
  cut("at=10 pid=8 kernel=kernel.a kernel_frames=60000 weight=100\n");
  const std::string half = test::cut_record(lines_of("at=11 cut pid=9 weight=100\n").front(), scene_.names).substr(0, 50);
  cut_bytes(half, {});
  EXPECT_EQ(stacks().substr(0, 10), "8/8 app: k") << stacks();
  EXPECT_NE(stacks().find("lost: records that make no sense 1\n"), std::string::npos) << stacks();
}

TEST_F(SamplerReplay, counts_records_that_are_cut_or_lie_or_are_of_no_known_type) {
  play(
      "at=1 copy pid=7 stack=app.main weight=1 bytes=3\n"
      "at=1 copy pid=7 stack=app.main weight=1 bytes=111\n"
      "at=1 copy pid=7 stack=app.main weight=1 copied=4294967295\n"
      "at=1 copy pid=7 stack=app.main weight=1 kernel_frames=65535\n"
      "at=1 copy pid=7 stack=app.main weight=1 context=1\n"
      "at=1 walk pid=7 frames=a weight=1 walked=2\n"
      "at=1 counted pid=7 stack=app.main hash=5 user_frames=2\n"
      "at=1 wait-begin pid=7 stack=app.main pair=5 bytes=115\n"
      "at=1 code pid=7 address=0x10 text=hello bytes=300\n"
      "at=1 unheard-of pid=7\n"
      "at=2 copy pid=7 kernel=kernel.a weight=1\n");
  EXPECT_EQ(stacks(), "7/7 app: kernel.a 1 1\nlost: records that make no sense 10\n");
}

TEST_F(SamplerReplay, still_has_the_stacks_of_waits_when_many_threads_have_come_and_gone) {
  std::string text = "at=1 map pid=7 file=app\n";
  for (int tid = 1000; tid < 71'000; ++tid) {
    const std::string thread = " pid=7 tid=" + std::to_string(tid);
    text += "at=2 wait-begin" + thread + " kernel=kernel.futex pair=" + std::to_string(tid) + "\n";
    text += "at=3 thread-end" + thread + " cpu=1\n";
    text += "at=4 wait-begin" + thread + " kernel=kernel.exit pair=" + std::to_string(tid) + " state=0x80\n";
  }
  play(text);
  play(
      "at=5 wait-begin pid=7 stack=app.main;app.pop pair=9\n"
      "at=6 wait-end pid=7 pair=9 weight=100\n");
  EXPECT_EQ(stacks(), "7/7 app: app.main;app.pop {blocked} 1 100\n");
}

class OffCpuReplay : public SamplerReplay {
 protected:
  OffCpuReplay() : SamplerReplay(false) {}
};

TEST_F(OffCpuReplay, counts_a_wait_once_however_long_it_was) {
  play(
      "at=2 wait-begin pid=7 kernel=kernel.futex pair=9\n"
      "at=3 wait-end pid=7 pair=9 weight=100000\n");
  EXPECT_EQ(stacks(), "7/7 app: kernel.futex {blocked} 1 100000\n");
}

}  // namespace
}  // namespace atys::capture::native
