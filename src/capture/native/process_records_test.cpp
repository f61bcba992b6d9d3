// SPDX-License-Identifier: Apache-2.0
#include "capture/native/process_records.h"

#include <gtest/gtest.h>

#include "base/byte_source.h"
#include "support/perf_record_text.h"

namespace atys::capture::native {
namespace {

// What of a line arrives, in words: "5 fork 8 of 7".
class Told : public testing::Test {
 protected:
  std::string told(const std::string& text, pid_t only_process = 0) {
    std::vector<linux::PerfRecord> records;
    for (const auto& line : test::lines_of(text)) {
      const std::string bytes = test::perf_record(line, names_);
      if (auto record = parse_process_record(as_byte_span(bytes), only_process)) records.push_back(std::move(*record));
    }
    sort_by_time(records);
    std::ostringstream out;
    for (const linux::PerfRecord& record : records) {
      out << record.time_ns << " ";
      std::visit([&](const auto& body) { out << words(body) << "\n"; }, record.body);
    }
    return out.str();
  }

 private:
  static std::string text(auto number) { return std::to_string(number); }
  static std::string words(const std::monostate&) { return "nothing of use"; }
  static std::string words(const linux::PerfSample&) { return "sample"; }
  static std::string words(const linux::MapRecord& map) {
    return "map " + text(map.pid) + " " + map.range.path + (map.range.is_executable ? " code" : " data");
  }
  static std::string words(const linux::CommRecord& comm) {
    return (comm.is_exec ? "exec " : "name ") + text(comm.pid) + "/" + text(comm.tid) + " " + comm.comm;
  }
  static std::string words(const linux::ForkRecord& fork) {
    return "fork " + text(fork.pid) + "/" + text(fork.tid) + " of " + text(fork.parent);
  }
  static std::string words(const linux::ExitRecord& ended) { return "exit " + text(ended.pid) + "/" + text(ended.tid); }
  static std::string words(const linux::LostRecord& lost) { return "lost " + text(lost.count); }
  static std::string words(const linux::ThrottleRecord&) { return "throttle"; }

  test::CodeNames names_;
};

TEST_F(Told, is_what_processes_do_in_the_order_of_time) {
  EXPECT_EQ(told("at=5 exit pid=8\n"
                 "at=1 exec pid=7 comm=app\n"
                 "at=2 map pid=7 file=app\n"
                 "at=3 map pid=7 file=data no-code=1\n"
                 "at=4 fork pid=8 parent=7\n"
                 "at=4 name pid=8 tid=9 comm=worker\n"
                 "at=6 lost count=12\n"
                 "at=7 strange pid=7\n"),
            "1 exec 7/7 app\n2 map 7 /app code\n3 map 7 /data data\n4 fork 8/8 of 7\n4 name 8/9 worker\n5 exit 8/8\n"
            "6 lost 12\n7 nothing of use\n");
}

TEST_F(Told, is_one_process_alone_where_there_is_only_one) {
  EXPECT_EQ(told("at=1 exec pid=7 comm=app\n"
                 "at=2 exec pid=8 comm=other\n"
                 "at=3 fork pid=8 parent=7\n"
                 "at=4 fork pid=7 tid=9 parent=7\n"
                 "at=5 lost count=2\n",
                 7),
            "1 exec 7/7 app\n4 fork 7/9 of 7\n5 lost 2\n");
}

TEST_F(Told, is_nothing_of_processes_that_our_namespace_does_not_have) {
  EXPECT_EQ(told("at=1 exec pid=0 comm=app\n"
                 "at=2 fork pid=4294967295 parent=7\n"
                 "at=3 lost count=1\n"),
            "3 lost 1\n");
}

TEST_F(Told, is_one_record_lost_for_each_that_makes_no_sense) {
  EXPECT_EQ(told("at=1 exec pid=7 comm=app bytes=0\n"
                 "at=1 exec pid=7 comm=app bytes=9\n"
                 "at=1 exec pid=7 comm=app bytes=27\n"
                 "at=1 fork pid=7 parent=7 bytes=35\n"
                 "at=1 exit pid=7 parent=7 bytes=31\n"
                 "at=1 map pid=7 file=app bytes=72\n"
                 "at=1 lost count=3 bytes=39\n"),
            "0 lost 1\n0 lost 1\n0 lost 1\n0 lost 1\n0 lost 1\n0 lost 1\n0 lost 1\n");
}

}  // namespace
}  // namespace atys::capture::native
