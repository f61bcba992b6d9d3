// SPDX-License-Identifier: Apache-2.0
// Records one after the other, as the corpora of fuzzers hold them: two bytes for the size of each, then the record. And a
// sink that looks at every byte of what it is handed.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "capture/native/sample_source.h"

namespace atys::test {

inline std::string recorded(const std::string& record) {
  const auto size = static_cast<uint16_t>(record.size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + record.substr(0, size);
}

// The last may be shorter than it says. `take` is given each in memory of its own, which ends where the record does.
template <typename Take>
void for_each_recorded(std::span<const uint8_t> bytes, const Take& take) {
  while (bytes.size() >= sizeof(uint16_t)) {
    uint16_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes = bytes.subspan(sizeof size);
    const auto part = bytes.first(std::min<size_t>(size, bytes.size()));
    bytes = bytes.subspan(part.size());
    const std::vector<uint8_t> record(part.begin(), part.end());
    take(std::as_bytes(std::span(record)));
  }
}

class ReadingSink final : public capture::native::SampleSink {
 public:
  void on_process_record(const linux::PerfRecord& record) override {
    if (const auto* map = std::get_if<linux::MapRecord>(&record.body)) read(map->range.path);
    if (const auto* comm = std::get_if<linux::CommRecord>(&record.body)) read(comm->comm);
  }
  void on_code(pid_t, capture::CodeCopy& code) override {
    std::vector<std::byte> room(4096);
    room.resize(code.read(code.code(), room));
    read(room);
  }
  capture::native::SampleSlot on_stack(const capture::native::RawSample& sample) override {
    read(sample.comm);
    read(sample.kernel_frames);
    read(sample.user_frames);
    read(sample.stack_copy);
    read(sample.context);
    for (const atys_walked& walked : sample.walked) sum = sum + walked.code + walked.position + walked.cookie;
    return 1;
  }
  capture::native::SampleSlot on_lost_stack(pid_t, pid_t) override { return 2; }
  void add(capture::native::SampleSlot slot, uint64_t samples, uint64_t) override {
    if (slot == 0 || samples == 0) std::abort();
  }
  void refresh_threads(pid_t, uint64_t) override {}

  volatile uint64_t sum = 0;

 private:
  void read(const auto& values) {
    for (const auto value : values) sum = sum + static_cast<uint64_t>(value);
  }
};

}  // namespace atys::test
