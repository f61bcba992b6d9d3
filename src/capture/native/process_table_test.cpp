// SPDX-License-Identifier: Apache-2.0
// What processes do, as lines (support/perf_record_text.h), and where their code lies then.
#include "capture/native/process_table.h"

#include <gtest/gtest.h>

#include "base/byte_source.h"
#include "capture/native/process_records.h"
#include "support/fake_proc.h"
#include "support/perf_record_text.h"

namespace atys::capture::native {
namespace {

class Processes : public testing::Test {
 protected:
  void play(const std::string& text) {
    for (const auto& line : test::lines_of(text)) {
      const auto record = parse_process_record(as_byte_span(test::perf_record(line, names_)), 0);
      ASSERT_TRUE(record) << line.what;
      table_.apply(*record);
    }
  }
  // Files with code in a process, by address.
  std::string code_of(pid_t pid) {
    std::string files;
    table_.process(pid).space.for_each([&](const linux::MappedRange& range) {
      files += (files.empty() ? "" : " ") + (range.path.empty() ? "[anonymous]" : range.path.substr(1));
    });
    return files;
  }
  // What a look at /proc finds to be new.
  std::string found_again(pid_t pid, uint64_t now_ns, ProcessTable& table) {
    std::vector<linux::MappedRange> added;
    const bool is_new = table.read_again(table.process(pid), now_ns, added);
    EXPECT_EQ(is_new, !added.empty());
    std::string files;
    for (const linux::MappedRange& range : added) files += (files.empty() ? "" : " ") + range.path.substr(1);
    return files;
  }

  test::FakeProc proc_;
  test::CodeNames names_;
  ProcessTable table_;
};

TEST_F(Processes, that_ran_before_us_are_read_from_proc) {
  proc_.show_maps(7, "app lib", names_);
  EXPECT_EQ(code_of(7), "app lib");
}

TEST_F(Processes, that_ran_before_us_are_read_once) {
  proc_.show_maps(7, "app", names_);
  EXPECT_EQ(code_of(7), "app");
  proc_.show_maps(7, "app lib", names_);
  EXPECT_EQ(code_of(7), "app") << "what it maps from now on is told";
}

TEST_F(Processes, that_are_gone_have_no_code) {
  EXPECT_EQ(code_of(7), "");
  EXPECT_EQ(table_.find(8), nullptr);
}

TEST_F(Processes, keep_what_was_told_of_them_where_proc_says_otherwise) {
  names_.put_over("new", "old");
  proc_.show_maps(7, "old lib", names_);
  play("at=1 map pid=7 file=new");
  EXPECT_EQ(code_of(7), "new lib");
}

TEST_F(Processes, that_begin_while_we_watch_are_known_by_what_is_told) {
  proc_.show_maps(7, "proc", names_);
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 map pid=7 file=lib\n"
      "at=4 map pid=7 file=data no-code=1\n");
  EXPECT_EQ(code_of(7), "app lib");
}

TEST_F(Processes, have_other_code_after_an_exec_and_another_language) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n");
  Process& process = table_.process(7);
  process.has_mode = true;
  process.language.looks = 3;
  process.context.is_found = true;
  play("at=3 name pid=7 comm=renamed");
  EXPECT_TRUE(process.has_mode) << "a name is no exec";
  EXPECT_EQ(code_of(7), "app");
  play("at=4 exec pid=7 comm=other");
  EXPECT_EQ(code_of(7), "");
  EXPECT_FALSE(process.has_mode);
  EXPECT_EQ(process.language.looks, 0U);
  EXPECT_FALSE(process.context.is_found);
}

TEST_F(Processes, have_their_parents_code_when_they_begin_and_their_own_from_then_on) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 fork pid=8 parent=7\n"
      "at=4 map pid=7 file=mine\n"
      "at=5 map pid=8 file=its\n");
  EXPECT_EQ(code_of(7), "app mine");
  EXPECT_EQ(code_of(8), "app its");
}

TEST_F(Processes, of_a_parent_that_nobody_has_looked_at_are_read_from_proc) {
  play("at=3 fork pid=8 parent=7");
  proc_.show_maps(8, "app", names_);
  EXPECT_EQ(code_of(8), "app");
}

TEST_F(Processes, are_not_changed_by_new_threads) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 fork pid=7 tid=17 parent=7\n"
      "at=4 exit pid=7 tid=17\n");
  EXPECT_EQ(code_of(7), "app");
  EXPECT_FALSE(table_.process(7).is_ended);
}

TEST_F(Processes, that_have_ended_are_known_until_their_number_is_used_again) {
  play(
      "at=1 exec pid=7 comm=app\n"
      "at=2 map pid=7 file=app\n"
      "at=3 exit pid=7\n");
  EXPECT_EQ(code_of(7), "app");
  EXPECT_TRUE(table_.process(7).is_ended);
  play("at=4 fork pid=7 parent=1");
  EXPECT_FALSE(table_.process(7).is_ended);
  EXPECT_EQ(code_of(7), "");
}

TEST_F(Processes, that_have_ended_are_forgotten_when_there_are_many) {
  std::string text;
  for (int pid = 1000; pid < 4000; ++pid) {
    const std::string number = std::to_string(pid);
    text += "at=1 fork pid=" + number + " parent=1\n";
    if (pid != 1500) text += "at=2 exit pid=" + number + "\n";
  }
  play(text);
  EXPECT_LE(table_.size(), 2050U);
  EXPECT_NE(table_.find(1500), nullptr) << "it runs";
  EXPECT_NE(table_.find(3999), nullptr);
}

TEST_F(Processes, of_a_namespace_that_is_not_ours_leave_nothing) {
  linux::PerfRecord record;
  record.body = linux::CommRecord{.pid = -1, .tid = -1, .is_exec = true, .comm = "x"};
  table_.apply(record);
  record.body = linux::ForkRecord{.pid = 0, .parent = 7, .tid = 0};
  table_.apply(record);
  EXPECT_EQ(table_.size(), 0U);
}

class WithoutRecords : public Processes {
 protected:
  static constexpr uint64_t kMillisecond = 1'000'000;
  ProcessTable untold_{false};
};

TEST_F(WithoutRecords, what_is_new_is_found_by_looking_again) {
  proc_.show_maps(7, "app", names_);
  (void)untold_.process(7);
  proc_.show_maps(7, "app lib", names_);
  EXPECT_EQ(found_again(7, 100 * kMillisecond, untold_), "lib");
  EXPECT_EQ(found_again(7, 200 * kMillisecond, untold_), "");
}

TEST_F(WithoutRecords, nobody_looks_twice_in_a_moment_and_ever_less_where_nothing_is_new) {
  proc_.show_maps(7, "app", names_);
  EXPECT_EQ(found_again(7, kMillisecond, untold_), "");
  proc_.show_maps(7, "app lib", names_);
  EXPECT_EQ(found_again(7, kMillisecond + 100'000, untold_), "") << "too soon";
  EXPECT_EQ(found_again(7, 2 * kMillisecond, untold_), "lib");
  uint64_t now = 2 * kMillisecond;
  for (int i = 0; i < 10; ++i) (void)found_again(7, now += 20 * kMillisecond, untold_);
  proc_.show_maps(7, "app lib more", names_);
  EXPECT_EQ(found_again(7, now + 19 * kMillisecond, untold_), "");
  EXPECT_EQ(found_again(7, now + 20 * kMillisecond, untold_), "more");
}

TEST_F(WithoutRecords, a_program_that_was_executed_is_read_when_it_is_seen) {
  proc_.show_maps(7, "app", names_);
  (void)untold_.process(7);
  linux::PerfRecord exec;
  exec.body = linux::CommRecord{.pid = 7, .tid = 7, .is_exec = true, .comm = {}};
  untold_.apply(exec);
  proc_.show_maps(7, "other", names_);
  std::string files;
  untold_.process(7).space.for_each([&](const linux::MappedRange& range) { files += range.path; });
  EXPECT_EQ(files, "/other");
}

TEST_F(Processes, whose_mappings_are_told_are_not_looked_at_again) {
  proc_.show_maps(7, "app", names_);
  (void)table_.process(7);
  proc_.show_maps(7, "app lib", names_);
  EXPECT_EQ(found_again(7, 1'000'000'000, table_), "");
}

}  // namespace
}  // namespace atys::capture::native
