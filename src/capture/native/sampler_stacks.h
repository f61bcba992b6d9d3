// SPDX-License-Identifier: Apache-2.0
// What the sampler in the kernel tells (sampler_records.h), told on as stacks: bytes in, calls of a sink out. The system is
// not asked, so recorded bytes give the same stacks wherever they are read. The bytes may be anything: what makes no sense
// is counted, and nothing is read beyond them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/native/sample_source.h"
#include "capture/native/sampler_records.h"

namespace atys::capture::native {

// One record, taken apart: the fixed part, and a sample that points into the rest.
struct SamplerRecord {
  atys_record head{};
  RawSample sample;
};
// `bytes` begin at a word. Nothing: the record says that it has more than they are.
std::optional<SamplerRecord> parse_sampler_record(std::span<const std::byte> bytes);

// Memory of a process; how many bytes could be read.
using ReadMemory = std::function<size_t(pid_t pid, uint64_t address, std::span<std::byte> into)>;

class SamplerStacks {
 public:
  SamplerStacks(bool with_cpu, bool with_waits) : with_cpu_(with_cpu), with_waits_(with_waits) {}
  void set_period(uint64_t period_ns) { period_ns_ = period_ns; }

  // Keeps a copy of a record of the ring until it is handed over.
  void take(std::span<const std::byte> record);
  // All that was taken; between them, at their time, `process_records`, which are in the order of time.
  void hand_over(std::span<const linux::PerfRecord> process_records, SampleSink& sink);
  // What a counter in the kernel has come to.
  void add_count(const atys_stack_key& key, const atys_stack_count& count, SampleSink& sink);
  // Waits that go on (atys_cut, one after the other). Stacks that nobody has taken yet are read from the threads' memory.
  void cut_waits(std::span<const std::byte> cuts, const ReadMemory& read_memory, SampleSink& sink);
  // No wait that has begun will end.
  void forget_waits() { waiting_.clear(); }

  // So many stacks have been handed over that are counted in the kernel.
  size_t counted_stacks() const { return counted_stacks_; }
  // A record has come that was no code.
  bool has_handed_over() const { return has_handed_over_; }
  // Records that made no sense: cut short, or of an unknown type.
  uint64_t senseless() const { return senseless_; }

 private:
  struct KeyHash {
    size_t operator()(const atys_stack_key& key) const { return key.stack_hash ^ (uint64_t{key.tid} << 20); }
  };
  struct KeyEqual {
    bool operator()(const atys_stack_key& a, const atys_stack_key& b) const {
      return a.tgid == b.tgid && a.tid == b.tid && a.stack_hash == b.stack_hash;
    }
  };
  struct Waiting {
    uint64_t pair = 0;
    std::vector<std::byte> record;
  };

  void hand_over_one(std::span<const std::byte> bytes, SampleSink& sink);
  void hand_over_code(std::span<const std::byte> bytes, SampleSink& sink);
  void hand_over_record(std::span<const std::byte> bytes, SamplerRecord& record, SampleSink& sink);
  void begin_wait(std::span<const std::byte> bytes, const atys_record& begin);
  void end_wait(const atys_record& end, SampleSink& sink);
  void end_thread(const atys_record& end, SampleSink& sink);
  void add_wait(RawSample& sample, const atys_record& wait, SampleSink& sink);
  std::optional<SamplerRecord> begin_of(const atys_record& wait) const;
  void add_wait_without_stack(const atys_record& wait, SampleSink& sink);
  void cut_wait(const atys_cut& cut, const ReadMemory& read_memory, SampleSink& sink);
  uint64_t samples_of(uint64_t wait_ns) const;

  const bool with_cpu_;
  const bool with_waits_;
  uint64_t period_ns_ = 0;
  bool has_handed_over_ = false;
  uint64_t senseless_ = 0;
  size_t counted_stacks_ = 0;
  std::unordered_map<atys_stack_key, SampleSlot, KeyHash, KeyEqual> slots_;
  std::unordered_map<uint32_t, Waiting> waiting_;    // by thread: how it left the CPU the last time
  std::unordered_map<uint64_t, SampleSlot> wakers_;  // of waits whose end has not come through yet

  // Records that wait to be handed over: where each begins, and its size.
  std::vector<std::byte> arena_;
  std::vector<std::pair<size_t, size_t>> pieces_;
  std::vector<std::byte> waiting_stack_;
};

}  // namespace atys::capture::native
