// SPDX-License-Identifier: Apache-2.0
#include "capture/native/process_records.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace atys::capture::native {

namespace {

// All but the note of what was lost begin with the process: the one that did it, or that it was done to. One that our pid
// namespace does not have is 0 there, or -1.
bool is_of_another(std::span<const std::byte> record, pid_t process) {
  perf_event_header header{};
  pid_t of = 0;
  if (record.size() < sizeof(header) + sizeof(of)) return false;
  std::memcpy(&header, record.data(), sizeof(header));
  std::memcpy(&of, record.data() + sizeof(header), sizeof(of));
  return header.type != PERF_RECORD_LOST && (of <= 0 || (process != 0 && of != process));
}

}  // namespace

void want_process_records(linux::PerfAttributes& attributes) {
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.task = 1;
  attributes.sample_id_all = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
}

std::optional<linux::PerfRecord> parse_process_record(std::span<const std::byte> bytes, pid_t only_process) {
  if (is_of_another(bytes, only_process)) return std::nullopt;
  if (auto record = linux::parse_perf_record(bytes, PERF_SAMPLE_TID | PERF_SAMPLE_TIME)) return record;
  return linux::PerfRecord{.time_ns = 0, .body = linux::LostRecord{.count = 1}};
}

void sort_by_time(std::vector<linux::PerfRecord>& records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const linux::PerfRecord& a, const linux::PerfRecord& b) { return a.time_ns < b.time_ns; });
}

}  // namespace atys::capture::native
