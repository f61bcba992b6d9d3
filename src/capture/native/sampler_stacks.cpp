// SPDX-License-Identifier: Apache-2.0
#include "capture/native/sampler_stacks.h"

#include <algorithm>
#include <cstring>

namespace atys::capture::native {

namespace {

constexpr size_t kMostOpenWaits = 65536;

std::string_view comm_of(const char (&comm)[ATYS_COMM]) { return {comm, ::strnlen(comm, ATYS_COMM)}; }

pid_t pid_of(const atys_record& record) { return static_cast<pid_t>(record.tgid); }
pid_t tid_of(const atys_record& record) { return static_cast<pid_t>(record.tid); }

// Where the parts of what follows the fixed one lie.
struct Layout {
  size_t user_at = 0;
  size_t user_bytes = 0;
  size_t context_at = 0;

  explicit Layout(const atys_record& record)
      : user_at(record.kernel_frames * sizeof(uint64_t) + record.walked * sizeof(atys_walked)),
        user_bytes(record.copied_bytes + record.user_frames * sizeof(uint64_t)),
        context_at((user_at + user_bytes + 7) & ~size_t{7}) {}
  bool fits(const atys_record& record, size_t bytes) const {
    if (user_at + user_bytes > bytes) return false;
    return record.context_bytes == 0 || context_at + record.context_bytes <= bytes;
  }
};

}  // namespace

std::optional<SamplerRecord> parse_sampler_record(std::span<const std::byte> bytes) {
  SamplerRecord parsed;
  atys_record& record = parsed.head;
  RawSample& sample = parsed.sample;
  if (bytes.size() < sizeof(record)) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof(record));
  const auto payload = bytes.subspan(sizeof(record));
  const Layout layout(record);
  if (!layout.fits(record, payload.size())) return std::nullopt;
  const auto* words = reinterpret_cast<const uint64_t*>(payload.data());
  sample.time_ns = record.time_ns;
  sample.pid = pid_of(record);
  sample.tid = tid_of(record);
  sample.comm = {reinterpret_cast<const char*>(bytes.data()) + offsetof(atys_record, comm), comm_of(record.comm).size()};
  sample.kernel_frames = {words, record.kernel_frames};
  sample.registers = {record.pc, record.sp, record.fp, record.lr, record.bx};
  sample.has_copy = record.copied_bytes > 0 || record.type == ATYS_STACK_COPY;
  if (sample.has_copy)
    sample.stack_copy = payload.subspan(layout.user_at, layout.user_bytes);
  else
    sample.user_frames = {words + layout.user_at / sizeof(uint64_t), record.user_frames};
  sample.walked = {reinterpret_cast<const atys_walked*>(words + record.kernel_frames), record.walked};
  sample.walk_flags = record.walk_flags;
  sample.is_outside = (record.walk_flags & ATYS_OUTSIDE) != 0;
  if (record.context_bytes > 0) sample.context = payload.subspan(layout.context_at, record.context_bytes);
  return parsed;
}

void SamplerStacks::take(std::span<const std::byte> record) {
  if (record.size() < sizeof(atys_record)) {
    ++senseless_;
    return;
  }
  pieces_.emplace_back(arena_.size(), record.size());
  arena_.insert(arena_.end(), record.begin(), record.end());
  arena_.resize((arena_.size() + 7) & ~size_t{7});
}

void SamplerStacks::hand_over(std::span<const linux::PerfRecord> process_records, SampleSink& sink) {
  auto process_record = process_records.begin();
  for (const auto& [offset, size] : pieces_) {
    uint64_t time_ns = 0;
    std::memcpy(&time_ns, &arena_[offset + offsetof(atys_record, time_ns)], sizeof(time_ns));
    for (; process_record != process_records.end() && process_record->time_ns <= time_ns; ++process_record)
      sink.on_process_record(*process_record);
    hand_over_one({&arena_[offset], size}, sink);
  }
  for (; process_record != process_records.end(); ++process_record) sink.on_process_record(*process_record);
  arena_.clear();
  pieces_.clear();
}

void SamplerStacks::hand_over_one(std::span<const std::byte> bytes, SampleSink& sink) {
  uint32_t type = 0;
  std::memcpy(&type, bytes.data(), sizeof(type));
  if (type == ATYS_CODE) return hand_over_code(bytes, sink);
  auto record = parse_sampler_record(bytes);
  if (!record) {
    ++senseless_;
    return;
  }
  has_handed_over_ = true;
  hand_over_record(bytes, *record, sink);
}

void SamplerStacks::hand_over_record(std::span<const std::byte> bytes, SamplerRecord& record, SampleSink& sink) {
  const atys_record& head = record.head;
  RawSample& sample = record.sample;
  switch (head.type) {
    case ATYS_STACK_COPY: sink.add(sink.on_stack(sample), 1, head.weight); return;
    case ATYS_COUNTED_STACK:
      slots_[{head.tgid, head.tid, head.stack_hash}] = sink.on_stack(sample);
      ++counted_stacks_;
      return;
    case ATYS_WAIT_BEGIN: begin_wait(bytes, head); return;
    case ATYS_WAKER:
      sample.note.is_waker = true;
      if (wakers_.size() >= kMostOpenWaits) wakers_.clear();
      wakers_[head.stack_hash] = sink.on_stack(sample);
      return;
    case ATYS_WAIT:
      sample.note.wait = "blocked";
      add_wait(sample, head, sink);
      return;
    case ATYS_WAIT_END: end_wait(head, sink); return;
    case ATYS_THREAD_END: end_thread(head, sink); return;
    default: ++senseless_; return;
  }
}

void SamplerStacks::hand_over_code(std::span<const std::byte> bytes, SampleSink& sink) {
  atys_code code{};
  if (bytes.size() < sizeof(code)) {
    ++senseless_;
    return;
  }
  std::memcpy(&code, bytes.data(), sizeof(code));
  std::vector<CodeCopy::Piece> pieces;
  for (size_t i = 0; i < ATYS_PIECES; ++i)
    if (const uint64_t size = std::min<uint64_t>(code.copied[i].bytes, ATYS_PIECE_BYTES); size > 0)
      pieces.push_back({code.copied[i].address, std::as_bytes(std::span(code.pieces[i])).first(size)});
  CodeCopy copy(code.head.pc, code.head.stack_hash, std::move(pieces));
  sink.on_code(pid_of(code.head), copy);
}

// A thread that is over leaves the CPU once more, after its end was told.
void SamplerStacks::begin_wait(std::span<const std::byte> bytes, const atys_record& begin) {
  constexpr uint32_t kTaskDead = 0x80;  // of the Linux kernel
  if ((begin.wait_state & ~ATYS_PREEMPTED & kTaskDead) != 0) return;
  if (waiting_.size() < kMostOpenWaits) waiting_[begin.tid] = {begin.stack_hash, {bytes.begin(), bytes.end()}};
}

void SamplerStacks::end_thread(const atys_record& end, SampleSink& sink) {
  waiting_.erase(end.tid);
  sink.on_thread_end({pid_of(end), tid_of(end), end.stack_hash, end.time_ns, end.weight});
  if (with_waits_) sink.on_waited(pid_of(end), tid_of(end), end.pc);
}

// How the wait began, if that was told.
std::optional<SamplerRecord> SamplerStacks::begin_of(const atys_record& wait) const {
  const auto waiting = waiting_.find(wait.tid);
  if (waiting == waiting_.end() || waiting->second.pair != wait.stack_hash) return std::nullopt;
  return parse_sampler_record(waiting->second.record);
}

void SamplerStacks::add_wait_without_stack(const atys_record& wait, SampleSink& sink) {
  sink.add(sink.on_lost_stack(pid_of(wait), tid_of(wait)), samples_of(wait.weight), wait.weight);
}

void SamplerStacks::end_wait(const atys_record& end, SampleSink& sink) {
  auto begin = begin_of(end);
  if (!begin) return add_wait_without_stack(end, sink);
  add_wait(begin->sample, end, sink);
  waiting_.erase(end.tid);
}

// Of kind wall, a sample is a period of time, whether the thread ran or waited; else it is a wait, however long.
uint64_t SamplerStacks::samples_of(uint64_t wait_ns) const {
  return with_cpu_ ? std::max<uint64_t>(1, wait_ns / std::max<uint64_t>(1, period_ns_)) : 1;
}

void SamplerStacks::add_wait(RawSample& sample, const atys_record& wait, SampleSink& sink) {
  sample.note.wait = (wait.wait_state & ATYS_PREEMPTED) != 0 ? "cpu" : "blocked";
  sink.add(sink.on_stack(sample), samples_of(wait.weight), wait.weight);
  if (const auto waker = wakers_.find(wait.stack_hash); waker != wakers_.end()) {
    sink.add(waker->second, 1, wait.weight);
    wakers_.erase(waker);
  }
}

void SamplerStacks::cut_waits(std::span<const std::byte> cuts, const ReadMemory& read_memory, SampleSink& sink) {
  for (; cuts.size() >= sizeof(atys_cut); cuts = cuts.subspan(sizeof(atys_cut))) {
    atys_cut cut{};
    std::memcpy(&cut, cuts.data(), sizeof(cut));
    cut_wait(cut, read_memory, sink);
  }
  if (!cuts.empty()) ++senseless_;
}

void SamplerStacks::cut_wait(const atys_cut& cut, const ReadMemory& read_memory, SampleSink& sink) {
  const atys_record& record = cut.record;
  sink.on_waited(pid_of(record), tid_of(record), cut.waited_ns);
  if (record.weight == 0) return;
  if (record.stack_hash != 0) {
    auto begin = begin_of(record);
    return begin ? add_wait(begin->sample, record, sink) : add_wait_without_stack(record, sink);
  }
  RawSample sample{.time_ns = record.time_ns, .pid = pid_of(record), .tid = tid_of(record), .comm = comm_of(record.comm)};
  sample.kernel_frames = {reinterpret_cast<const uint64_t*>(cut.kernel_frames),
                          std::min<size_t>(record.kernel_frames, ATYS_MAX_KERNEL_FRAMES)};
  sample.registers = {record.pc, record.sp, record.fp, record.lr, record.bx};
  waiting_stack_.resize(ATYS_MAX_COPY);
  waiting_stack_.resize(read_memory(sample.pid, record.sp, waiting_stack_));
  sample.stack_copy = waiting_stack_;
  sample.has_copy = sample.stands_still = true;
  add_wait(sample, record, sink);
}

void SamplerStacks::add_count(const atys_stack_key& key, const atys_stack_count& count, SampleSink& sink) {
  const auto known = slots_.find(key);
  const SampleSlot to =
      known != slots_.end() ? known->second : sink.on_lost_stack(static_cast<pid_t>(key.tgid), static_cast<pid_t>(key.tid));
  sink.add(to, count.samples, count.weight);
}

}  // namespace atys::capture::native
