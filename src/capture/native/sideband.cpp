// SPDX-License-Identifier: Apache-2.0
#include "capture/native/sideband.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace atys::capture::native {

namespace {

constexpr size_t kManyCpus = 32;
constexpr size_t kPages = 32;
constexpr size_t kPagesWithManyCpus = 8;

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

void sort_by_time(std::vector<linux::PerfRecord>& records) {
  std::stable_sort(records.begin(), records.end(),
                   [](const linux::PerfRecord& a, const linux::PerfRecord& b) { return a.time_ns < b.time_ns; });
}

Result<Sideband> Sideband::open(const std::vector<int>& cpus, pid_t only_process) {
  Sideband sideband;
  sideband.only_process_ = only_process;
  linux::PerfAttributes attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attributes.disabled = 1;
  attributes.watermark = 1;
  const size_t pages = cpus.size() > kManyCpus ? kPagesWithManyCpus : kPages;
  // Read when samples are; these records wake us only before they run over.
  attributes.wakeup_watermark = static_cast<uint32_t>(pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) / 2);
  want_process_records(attributes);
  for (const int cpu : cpus) {
    UniqueFd event = TRY(linux::open_perf_event(attributes, {.pid = -1, .cpu = cpu}, "the record of processes"));
    sideband.rings_.push_back(TRY(linux::PerfRing::map(event.get(), pages)));
    sideband.events_.push_back(std::move(event));
  }
  return sideband;
}

Result<> Sideband::start() {
  for (const UniqueFd& event : events_) TRY(linux::enable_perf_event(event.get()));
  return {};
}

void Sideband::add_wakeups(std::vector<pollfd>& fds) const {
  for (const UniqueFd& event : events_) fds.push_back({event.get(), POLLIN, 0});
}

void Sideband::drain(std::vector<linux::PerfRecord>& records) {
  for (linux::PerfRing& ring : rings_)
    ring.drain([&](std::span<const std::byte> bytes) {
      if (is_of_another(bytes, only_process_)) return;
      if (auto record = linux::parse_perf_record(bytes, PERF_SAMPLE_TID | PERF_SAMPLE_TIME))
        records.push_back(std::move(*record));
    });
  sort_by_time(records);
}

}  // namespace atys::capture::native
