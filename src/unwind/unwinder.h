// SPDX-License-Identifier: Apache-2.0
// From the registers of an interrupted thread and a copy of the top of its stack to the return addresses up to the root.
// Works on copies, in user space: nothing is stopped and no file is read here. All of what it reads may be hostile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unwind/rule.h"
#include "unwind/unwind_table.h"

namespace atys::unwind {

struct Registers {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
  uint64_t lr = 0;  // aarch64 only
  uint64_t bx = 0;  // x86_64 only: rbx; a few frames of the dynamic linker cannot be followed without it
  // Of a thread that waits and was not stopped, only pc and sp are known. What is not known is never used; most functions
  // that wait are followed by sp alone, and save the others on their way.
  bool has_fp = true;
  bool has_lr = true;
  bool has_bx = true;
};

struct CodeAt {
  const UnwindTable* table = nullptr;  // null: no rules (code made at run time, unknown)
  uint64_t bias = 0;                   // address in the process less address in the file
};

// Where the unwinder finds code and memory. The caller owns processes and modules.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual CodeAt code_at(uint64_t pc) = 0;
  // Some executable mapping contains it.
  virtual bool is_executable(uint64_t pc) = 0;
  // A word of memory that is not in the copy of the stack. May fail.
  virtual bool read_word(uint64_t address, uint64_t& word) = 0;
  // The instruction in front of this address is a call. Asked only about guesses; who cannot tell says yes.
  virtual bool follows_call(uint64_t) { return true; }
  // Code, or what code refers to, anywhere in the process. Asked only about guesses; how many bytes could be read.
  virtual size_t read_memory(uint64_t, std::span<std::byte>) { return 0; }
  // Differs between processes, and changes when the mappings of one change: answers of code_at() and is_executable() are
  // remembered under this number. Who always says the same calls Unwinder::forget_code() instead.
  virtual uint64_t code_generation() { return 0; }
};

struct StackCopy {
  uint64_t start = 0;  // address of the first byte
  std::span<const std::byte> bytes;
};

enum class End : uint8_t {
  Root,            // the outermost frame was reached
  StackCopyEnded,  // the next word is beyond the copy, and could not be read
  NoRule,          // code without rules, and the frame pointer leads nowhere
  NoRegister,      // the rule wants a register that is not known
  BadPointer,      // what should be a return address or a frame is none
  TooDeep,         // max_frames
};
const char* to_string(End end);

struct Walk {
  std::vector<uint64_t> addresses;  // the first is the pc; the others are return addresses, unless exact
  std::vector<bool> is_exact;       // the address itself was about to run: the first, and frames that a signal interrupted
  End end = End::NoRule;
  uint32_t by_frame_pointer = 0;  // how many steps had no rule to follow
  bool was_guessed = false;       // a step that no rule describes was found by trying, and led to the root
};

// Not for use by two threads at once.
class Unwinder {
 public:
  explicit Unwinder(Machine machine);

  // `out` is overwritten; its memory is used again.
  void walk(const Registers& registers, const StackCopy& stack, Surroundings& surroundings, size_t max_frames, Walk& out);
  void forget_code();

 private:
  class Walker;
  struct Guessing;
  bool guess_caller(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out);
  static bool is_called_throughout(const Walk& walk, size_t frames, Surroundings& surroundings);
  bool guess_register(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out);
  bool guess_fp(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out);
  bool guess_past_leaf(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out);
  bool guess_sp(const Walker& doubtful, Surroundings& surroundings, const StackCopy& stack, size_t max_frames, Walk& out);
  static void take_guess(const Walk& guess, size_t kept_frames, Walk& out);
  // What is known about the code at an address. Rules are copied, so that no table has to outlive the cache.
  struct Slot {
    uint64_t address = 0;
    uint64_t generation = 0;
    Rule rule;
    bool is_executable = false;
    bool has_table = false;
    bool is_used = false;
  };

  const Slot& lookup(uint64_t address, uint64_t generation, Surroundings& surroundings);

  Machine machine_;
  std::vector<Slot> slots_;
};

// For stacks that the system has walked by frame pointers: has the function, at this address of it, no frame of its own?
// Then its caller is missing in such a stack: the return address is in lr, or on x86_64 at sp.
bool has_no_frame(const UnwindTable& table, uint64_t file_address);

// aarch64: the address without the signature in its upper bits.
uint64_t strip_pointer_authentication(uint64_t address);

}  // namespace atys::unwind
