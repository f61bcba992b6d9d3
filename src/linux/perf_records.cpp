// SPDX-License-Identifier: Apache-2.0
#include "linux/perf_records.h"

#include <sys/sysmacros.h>

#include <bit>
#include <cstring>

#include "linux/perf_registers.h"

namespace atys::linux {

namespace {

// Takes fields off the front; remembers if there were too few bytes.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    const auto from = take_bytes(sizeof(T));
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> take_bytes(size_t count) {
    if (count > bytes_.size()) {
      is_whole_ = false;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  // Up to the first zero byte.
  std::string take_text() {
    const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    return std::string(all.substr(0, all.find('\0')));
  }

  size_t left() const { return bytes_.size(); }
  bool is_whole() const { return is_whole_; }

 private:
  std::span<const std::byte> bytes_;
  bool is_whole_ = true;
};

// The trailer {pid, tid, time} that sample_id_all puts behind records that are no samples.
constexpr size_t kTrailer = 16;

uint64_t trailer_time(std::span<const std::byte> record) {
  uint64_t time = 0;
  if (record.size() >= sizeof(perf_event_header) + kTrailer)
    std::memcpy(&time, record.data() + record.size() - sizeof(time), sizeof(time));
  return time;
}

UserRegisters take_registers(Fields& fields, bool& has_registers) {
  UserRegisters registers;
  has_registers = fields.take<uint64_t>() != PERF_SAMPLE_REGS_ABI_NONE;
  if (!has_registers) return registers;
  uint64_t mask = wanted_register_mask();
  while (mask != 0) {
    const int bit = std::countr_zero(mask);
    mask &= mask - 1;
    const auto value = fields.take<uint64_t>();
    if (bit == kPerfRegisterPc) registers.pc = value;
    if (bit == kPerfRegisterSp) registers.sp = value;
    if (bit == kPerfRegisterFp) registers.fp = value;
    if (bit == kPerfRegisterLr) registers.lr = value;
    if (bit == kPerfRegisterBx) registers.bx = value;
  }
  return registers;
}

std::optional<PerfRecord> parse_sample(Fields fields, uint64_t sample_type) {
  PerfSample sample;
  fields.take<uint64_t>();  // the instruction is the first of the chain too
  sample.pid = static_cast<pid_t>(fields.take<uint32_t>());
  sample.tid = static_cast<pid_t>(fields.take<uint32_t>());
  sample.time_ns = fields.take<uint64_t>();
  sample.period = fields.take<uint64_t>();
  const auto frames = fields.take<uint64_t>();
  if (frames > fields.left() / sizeof(uint64_t)) return {};
  const auto chain = fields.take_bytes(frames * sizeof(uint64_t));
  sample.chain = {reinterpret_cast<const uint64_t*>(chain.data()), frames};
  if ((sample_type & PERF_SAMPLE_REGS_USER) != 0) sample.registers = take_registers(fields, sample.has_registers);
  if ((sample_type & PERF_SAMPLE_STACK_USER) != 0) {
    const auto size = fields.take<uint64_t>();
    if (size > fields.left()) return {};
    sample.stack = fields.take_bytes(size);
    if (size != 0) sample.stack = sample.stack.first(std::min<uint64_t>(size, fields.take<uint64_t>()));
  }
  if (!fields.is_whole()) return {};
  return PerfRecord{sample.time_ns, sample};
}

MapRecord take_map(Fields& fields, bool is_executable) {
  MapRecord map;
  map.pid = static_cast<pid_t>(fields.take<uint32_t>());
  fields.take<uint32_t>();  // tid
  map.range.start = fields.take<uint64_t>();
  map.range.end = map.range.start + fields.take<uint64_t>();
  map.range.file_offset = fields.take<uint64_t>();
  const auto major_number = fields.take<uint32_t>();
  const auto minor_number = fields.take<uint32_t>();
  map.range.file = {makedev(major_number, minor_number), fields.take<uint64_t>()};
  fields.take<uint64_t>();  // inode generation
  fields.take<uint64_t>();  // protection and flags
  map.range.is_executable = is_executable;
  map.range.path = fields.take_text();
  if (map.range.path == "//anon") map.range.path.clear();
  return map;
}

PerfRecordBody take_body(const perf_event_header& header, Fields& fields) {
  switch (header.type) {
    case PERF_RECORD_MMAP2: return take_map(fields, (header.misc & PERF_RECORD_MISC_MMAP_DATA) == 0);
    case PERF_RECORD_COMM: {
      const auto pid = static_cast<pid_t>(fields.take<uint32_t>());
      const auto tid = static_cast<pid_t>(fields.take<uint32_t>());
      return CommRecord{pid, tid, (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0, fields.take_text()};
    }
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
      const auto pid = static_cast<pid_t>(fields.take<uint32_t>());
      const auto parent = static_cast<pid_t>(fields.take<uint32_t>());
      const auto tid = static_cast<pid_t>(fields.take<uint32_t>());
      if (header.type == PERF_RECORD_EXIT) return ExitRecord{pid, tid};
      return ForkRecord{pid, parent, tid};
    }
    case PERF_RECORD_LOST:
      fields.take<uint64_t>();  // id
      return LostRecord{fields.take<uint64_t>()};
    case PERF_RECORD_THROTTLE: return ThrottleRecord{};
    default: return std::monostate{};
  }
}

}  // namespace

uint64_t wanted_register_mask() { return kPerfRegisterMask; }

std::optional<PerfRecord> parse_perf_record(std::span<const std::byte> record, uint64_t sample_type) {
  perf_event_header header{};
  if (record.size() < sizeof(header)) return {};
  std::memcpy(&header, record.data(), sizeof(header));
  auto body = record.subspan(sizeof(header));
  if (header.type == PERF_RECORD_SAMPLE) return parse_sample(Fields(body), sample_type);
  if (body.size() < kTrailer) return {};
  Fields fields(body.first(body.size() - kTrailer));
  PerfRecord parsed{trailer_time(record), take_body(header, fields)};
  if (!fields.is_whole()) return {};
  return parsed;
}

}  // namespace atys::linux
