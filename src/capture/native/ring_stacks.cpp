// SPDX-License-Identifier: Apache-2.0
#include "capture/native/ring_stacks.h"

#include <algorithm>
#include <cstring>

#include "capture/native/process_records.h"

namespace atys::capture::native {

namespace {

constexpr size_t kMostBatchBytes = 64 << 20;  // of copies that wait; beyond, the ring fills and the kernel counts the loss
constexpr size_t kRecordsBetweenDrains = 16;

// The chain has marks where the kernel's part begins and where the user's does.
struct SplitChain {
  std::span<const uint64_t> kernel;
  std::span<const uint64_t> user;
};

SplitChain split_chain(std::span<const uint64_t> chain) {
  SplitChain split;
  std::span<const uint64_t>* part = nullptr;
  for (size_t i = 0; i < chain.size(); ++i) {
    const auto mark = static_cast<int64_t>(chain[i]);
    if (mark >= static_cast<int64_t>(PERF_CONTEXT_MAX) && mark < 0) {
      part = mark == static_cast<int64_t>(PERF_CONTEXT_KERNEL) ? &split.kernel
             : mark == static_cast<int64_t>(PERF_CONTEXT_USER) ? &split.user
                                                               : nullptr;
      continue;
    }
    if (part == nullptr) continue;
    *part = part->empty() ? chain.subspan(i, 1) : std::span<const uint64_t>(part->data(), part->size() + 1);
  }
  return split;
}

}  // namespace

void RingStacks::Batch::add(std::span<const std::byte> record) {
  pieces.emplace_back(bytes.size(), record.size());
  bytes.insert(bytes.end(), record.begin(), record.end());
  bytes.resize((bytes.size() + 7) & ~size_t{7});
}

void RingStacks::Batch::clear() {
  bytes.clear();
  pieces.clear();
}

bool RingStacks::is_full() const { return next_batch_.bytes.size() > kMostBatchBytes; }

// Each sample has both the chain and the copy; the mode says which of them to believe.
void RingStacks::set_stack_mode(pid_t pid, StackMode mode) {
  if (mode == StackMode::ByFramePointer)
    by_frame_pointer_.insert(pid);
  else
    by_frame_pointer_.erase(pid);
}

std::vector<linux::PerfRecord> RingStacks::parse_batch() {
  std::vector<linux::PerfRecord> records;
  records.reserve(batch_.pieces.size());
  for (const auto& [offset, size] : batch_.pieces) {
    if (auto record = linux::parse_perf_record(std::span(batch_.bytes).subspan(offset, size), linux::kSampleTypeWithStack))
      records.push_back(std::move(*record));
    else
      count_loss("records of perf events that make no sense");
  }
  sort_by_time(records);
  return records;
}

// A stack that is seen for the first time may take as long as a ring lasts: what comes meanwhile waits for the next turn.
void RingStacks::hand_over(SampleSink& sink, System& system) {
  std::swap(batch_, next_batch_);
  next_batch_.clear();
  size_t taken = 0;
  for (const linux::PerfRecord& record : parse_batch()) {
    if (++taken % kRecordsBetweenDrains == 0) system.take_more();
    if (const auto* sample = std::get_if<linux::PerfSample>(&record.body)) {
      hand_over_sample(*sample, sink, system);
      continue;
    }
    follow(record);
    sink.on_process_record(record);
  }
}

void RingStacks::follow(const linux::PerfRecord& record) {
  if (const auto* lost = std::get_if<linux::LostRecord>(&record.body)) {
    totals_.losses["samples that found the ring full"] += lost->count;
  } else if (std::holds_alternative<linux::ThrottleRecord>(record.body)) {
    count_loss("times that the kernel throttled us");
  } else if (const auto* fork = std::get_if<linux::ForkRecord>(&record.body)) {
    follow_fork(*fork, record.time_ns);
  } else if (const auto* comm = std::get_if<linux::CommRecord>(&record.body)) {
    comms_[comm->tid] = comm->comm;
  } else if (const auto* ended = std::get_if<linux::ExitRecord>(&record.body)) {
    comms_.erase(ended->tid);
  }
}

// Whoever had the number before is gone. Records come late: who was named after that fork is the one that began with it.
void RingStacks::follow_fork(const linux::ForkRecord& fork, uint64_t time_ns) {
  if (fork.pid == fork.parent) return;  // a thread
  by_frame_pointer_.erase(fork.pid);
  if (rules_.with_children && targets_.contains(fork.parent)) {
    targets_[fork.pid] = time_ns;
    return;
  }
  const auto before = targets_.find(fork.pid);
  if (before != targets_.end() && before->second < time_ns) targets_.erase(before);
}

std::string_view RingStacks::comm_of(pid_t pid, pid_t tid, System& system) {
  const auto [known, is_new] = comms_.try_emplace(tid);
  if (is_new) known->second = system.thread_name(pid, tid);
  return known->second;
}

bool RingStacks::is_wanted(pid_t pid) const {
  if (pid <= 0) return false;
  if (!sees_all_) return true;
  return pid != rules_.own_pid && (rules_.whole_host || targets_.contains(pid));
}

RawSample RingStacks::raw_of(const linux::PerfSample& sample) const {
  const SplitChain chain = split_chain(sample.chain);
  RawSample raw{.time_ns = sample.time_ns, .pid = sample.pid, .tid = sample.tid};
  raw.kernel_frames = chain.kernel;
  if (sample.has_registers) raw.registers = sample.registers;
  raw.has_copy = sample.has_registers && !by_frame_pointer_.contains(sample.pid);
  if (raw.has_copy)
    raw.stack_copy = sample.stack;
  else
    raw.user_frames = chain.user;
#if defined(__x86_64__)
  if (!raw.has_copy && sample.stack.size() >= sizeof(uint64_t))
    std::memcpy(&raw.registers.lr, sample.stack.data(), sizeof(uint64_t));
#endif
  return raw;
}

void RingStacks::hand_over_sample(const linux::PerfSample& sample, SampleSink& sink, System& system) {
  if (!is_wanted(sample.pid)) return;
  if (rules_.max_samples != 0 && totals_.samples >= rules_.max_samples) {
    totals_.is_limit_reached = true;
    return;
  }
  RawSample raw = raw_of(sample);
  raw.comm = comm_of(sample.pid, sample.tid, system);
  system.add_walk(raw);
  const uint64_t weight = weight_of(sample);
  ++totals_.samples;
  if (rules_.is_clock) totals_.weight += weight;
  sink.add(sink.on_stack(raw), 1, weight);
}

// Several timers tick side by side.
uint64_t RingStacks::weight_of(const linux::PerfSample& sample) const {
  return rules_.is_clock ? std::max<uint64_t>(1, sample.period / timers_) : sample.period;
}

}  // namespace atys::capture::native
