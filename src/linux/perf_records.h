// SPDX-License-Identifier: Apache-2.0
// The records of perf events, taken apart. They come from the kernel, but some carry what a process chose (names, stacks),
// and tests feed them from files, so every length is checked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "linux/perf_events.h"
#include "linux/proc_maps.h"

namespace atys::linux {

struct UserRegisters {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
  uint64_t lr =
      0;  // aarch64; in stacks by frame pointers on x86_64 the word at sp, where a function without frame returns to
  uint64_t bx = 0;         // x86_64: ld.so keeps a frame by it
  bool has_others = true;  // false: pc and sp are all that is known
};

struct PerfSample {
  uint64_t time_ns = 0;
  pid_t pid = 0;
  pid_t tid = 0;
  uint64_t period = 0;
  std::span<const uint64_t> chain;  // with PERF_CONTEXT_* marks between kernel and user
  bool has_registers = false;
  UserRegisters registers;
  std::span<const std::byte> stack;  // from registers.sp on
};

struct MapRecord {
  pid_t pid = 0;
  MappedRange range;
};
struct CommRecord {
  pid_t pid = 0;
  pid_t tid = 0;
  bool is_exec = false;
  std::string comm;
};
struct ForkRecord {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t tid = 0;
};
struct ExitRecord {
  pid_t pid = 0;
  pid_t tid = 0;
};
struct LostRecord {
  uint64_t count = 0;
};
struct ThrottleRecord {};

using PerfRecordBody =
    std::variant<std::monostate, PerfSample, MapRecord, CommRecord, ForkRecord, ExitRecord, LostRecord, ThrottleRecord>;

struct PerfRecord {
  uint64_t time_ns = 0;
  PerfRecordBody body;  // monostate: a kind that we have no use for
};

// What each sample of ours holds; events are opened with these bits.
constexpr uint64_t kSampleType =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
constexpr uint64_t kSampleTypeWithStack = kSampleType | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

// Which user registers a sample with a stack carries, as a mask for this architecture.
uint64_t wanted_register_mask();

// `sample_type` is that of the events behind the ring. Bytes that make no sense give nothing. The spans of a sample point
// into `record`, whose start must be aligned to eight bytes.
std::optional<PerfRecord> parse_perf_record(std::span<const std::byte> record, uint64_t sample_type);

}  // namespace atys::linux
