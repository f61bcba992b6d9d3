// SPDX-License-Identifier: Apache-2.0
#include "capture/native/sideband.h"

#include <unistd.h>

#include "capture/native/process_records.h"

namespace atys::capture::native {

namespace {

constexpr size_t kManyCpus = 32;
constexpr size_t kPages = 32;
constexpr size_t kPagesWithManyCpus = 8;

}  // namespace

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
      if (auto record = parse_process_record(bytes, only_process_)) records.push_back(std::move(*record));
    });
  sort_by_time(records);
}

}  // namespace atys::capture::native
