// SPDX-License-Identifier: Apache-2.0
// This very process as the unwinder sees one: its code with rules, its memory read as that of another process would be. So
// that what the unwinder says can be held against what the C library's own unwinder says in the same place.
#pragma once

#include <execinfo.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "linux/proc_maps.h"
#include "unwind/code_bias.h"
#include "unwind/unwinder.h"

namespace atys::test {

#if defined(__x86_64__)
constexpr unwind::Machine kThisMachine = unwind::Machine::X86_64;
inline unwind::Registers registers_in(const ucontext_t& context) {
  const auto& registers = context.uc_mcontext.gregs;
  return {.pc = static_cast<uint64_t>(registers[REG_RIP]),
          .sp = static_cast<uint64_t>(registers[REG_RSP]),
          .fp = static_cast<uint64_t>(registers[REG_RBP]),
          .bx = static_cast<uint64_t>(registers[REG_RBX])};
}
#else
constexpr unwind::Machine kThisMachine = unwind::Machine::Aarch64;
inline unwind::Registers registers_in(const ucontext_t& context) {
  const auto& machine = context.uc_mcontext;
  return {.pc = machine.pc, .sp = machine.sp, .fp = machine.regs[29], .lr = machine.regs[30]};
}
#endif

inline size_t read_own_memory(uint64_t address, void* into, size_t size) {
  const iovec to{into, size};
  const iovec from{reinterpret_cast<void*>(address), size};
  const ssize_t got = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

class OwnProcess : public unwind::Surroundings {
 public:
  OwnProcess() {
    auto maps = linux::read_maps(::getpid());
    if (!maps.ok()) return;
    for (const auto& range : *maps)
      if (range.is_executable) add(range);
  }

  unwind::CodeAt code_at(uint64_t pc) override {
    const Code* code = find(pc);
    return code == nullptr ? unwind::CodeAt{} : unwind::CodeAt{code->table.get(), code->bias};
  }
  bool is_executable(uint64_t pc) override { return find(pc) != nullptr; }
  bool read_word(uint64_t address, uint64_t& word) override {
    ++words_read;
    return read_own_memory(address, &word, sizeof(word)) == sizeof(word);
  }

  const unwind::UnwindTable* table_of(const char* part_of_path) const {
    for (const Code& code : codes_)
      if (code.range.path.find(part_of_path) != std::string::npos) return code.table.get();
    return nullptr;
  }

  size_t words_read = 0;

 private:
  struct Code {
    linux::MappedRange range;
    uint64_t bias = 0;
    std::unique_ptr<unwind::UnwindTable> table;
  };

  const Code* find(uint64_t pc) const {
    for (const Code& code : codes_)
      if (code.range.contains(pc)) return &code;
    return nullptr;
  }

  void add(const linux::MappedRange& range) {
    auto file = range.path == "[vdso]" ? vdso(range) : symbolize::ElfFile::open(range.path);
    codes_.push_back({range, 0, nullptr});
    if (!file.ok()) return;
    codes_.back().bias = unwind::code_bias(*file, range.start, range.file_offset).value_or(0);
    auto table = unwind::UnwindTable::compile(*file);
    if (table.ok()) codes_.back().table = std::make_unique<unwind::UnwindTable>(table.take());
  }

  static Result<symbolize::ElfFile> vdso(const linux::MappedRange& range) {
    Bytes image(range.end - range.start);
    image.resize(read_own_memory(range.start, image.data(), image.size()));
    return symbolize::ElfFile::parse(std::move(image), range.path);
  }

  std::vector<Code> codes_;
};

// What there is to walk at one place, and what the C library says of the same place.
struct Moment {
  static constexpr int kMostFrames = 512;

  // From a function: its own frame is the first. From a signal handler: `context` is what the handler was given.
  void take_registers(const ucontext_t& context) {
    registers = registers_in(context);
    stack.resize(stack.capacity());
    stack.resize(read_own_memory(registers.sp, stack.data(), stack.size()));
  }
  void take_truth() {
    truth.resize(static_cast<size_t>(std::max(0, ::backtrace(truth_room, kMostFrames))));
    copy_truth();
  }

  unwind::Walk walk(OwnProcess& process, unwind::Unwinder& unwinder) const {
    unwind::Walk walk;
    unwinder.walk(registers, {registers.sp, stack}, process, kMostFrames, walk);
    return walk;
  }

  explicit Moment(size_t stack_bytes = 64 << 10) {
    stack.reserve(stack_bytes);
    truth.reserve(kMostFrames);
  }

  unwind::Registers registers;
  Bytes stack;
  std::vector<uint64_t> truth;

 private:
  void copy_truth() {
    for (size_t i = 0; i < truth.size(); ++i) truth[i] = reinterpret_cast<uint64_t>(truth_room[i]);
  }
  void* truth_room[kMostFrames];
};

}  // namespace atys::test
