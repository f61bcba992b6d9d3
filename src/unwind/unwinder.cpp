// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwinder.h"

#include <algorithm>
#include <cstring>

#include "unwind/walker.h"

namespace atys::unwind {

namespace {

constexpr size_t kSlots = 4096;
// User space of aarch64 ends at 48 bits unless a program asks for more by hand.
constexpr uint64_t kAarch64AddressBits = (uint64_t{1} << 48) - 1;
// How far above sp the caller of code without rules is looked for.
constexpr uint64_t kFarthestGuess = 4096;
// aarch64: sp of a function that has called something is a multiple of this.
constexpr uint64_t kStackAlignment = 16;
// How often a walk may come to code without rules.
constexpr size_t kMostLost = 3;

}  // namespace

const char* to_string(End end) {
  switch (end) {
    case End::Root: return "root";
    case End::StackCopyEnded: return "stack copy ended";
    case End::NoRule: return "no rule";
    case End::NoRegister: return "register not known";
    case End::BadPointer: return "bad pointer";
    case End::TooDeep: return "too deep";
  }
  return "?";
}

uint64_t strip_pointer_authentication(uint64_t address) {
  const bool is_of_the_system = (address >> 55 & 1) != 0;
  return is_of_the_system ? address | ~kAarch64AddressBits : address & kAarch64AddressBits;
}

bool has_no_frame(const UnwindTable& table, uint64_t file_address) {
  const Rule* rule = table.find(file_address);
  if (rule == nullptr) return false;
  if (table.machine() == Machine::X86_64)
    return rule->cfa == Rule::Cfa::SpPlus && rule->cfa_offset == 8 && rule->ra == Rule::Ra::AtCfaPlus &&
           rule->ra_offset == -8;
  return rule->ra == Rule::Ra::InLr && (rule->cfa == Rule::Cfa::SpPlus || rule->cfa == Rule::Cfa::FpPlus);
}

Unwinder::Unwinder(Machine machine) : machine_(machine), slots_(kSlots) {}

void Unwinder::forget_code() {
  for (Slot& slot : slots_) slot.is_used = false;
}

const Unwinder::Slot& Unwinder::lookup(uint64_t address, uint64_t generation, Surroundings& surroundings) {
  constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  Slot& slot = slots_[((address ^ generation << 32) * kGoldenRatio >> 32) % kSlots];
  if (slot.is_used && slot.address == address && slot.generation == generation) return slot;
  slot = {.address = address, .generation = generation, .is_used = true};
  const CodeAt code = surroundings.code_at(address);
  const Rule* rule = nullptr;
  if (code.table != nullptr && code.table->machine() == machine_) rule = code.table->find(address - code.bias);
  if (rule != nullptr) slot.rule = *rule;
  slot.has_table = code.table != nullptr;
  slot.is_executable = code.table != nullptr || surroundings.is_executable(address);
  return slot;
}

void Unwinder::walk(const Registers& registers, const StackCopy& stack, Surroundings& surroundings, size_t max_frames,
                    Walk& out) {
  out.addresses.clear();
  out.is_exact.clear();
  out.was_guessed = false;
  Walker walker(*this, registers, stack, surroundings);
  walker.run(max_frames, out);
  const bool can_guess = walker.lost_frames() > 0 && machine_ == Machine::X86_64;
  Guessing guessing{surroundings, stack};
  const bool is_sure = out.end == End::TooDeep || (out.end == End::Root && !walker.is_root_by_frame_pointer());
  if (walker.unknown_frames() > 0)
    guess_register(walker, guessing, max_frames, out);
  else if (can_guess && !is_sure)
    guess_caller(walker, guessing, max_frames, out);
  else if (walker.doubtful_frames() > 0)
    guess_sp(walker, surroundings, stack, max_frames, out);
}

void Unwinder::take_guess(const Walk& guess, size_t kept_frames, Walk& out) {
  out.addresses.resize(kept_frames);
  out.is_exact.resize(kept_frames);
  out.addresses.insert(out.addresses.end(), guess.addresses.begin(), guess.addresses.end());
  out.is_exact.insert(out.is_exact.end(), guess.is_exact.begin(), guess.is_exact.end());
  out.end = End::Root;
  out.was_guessed = true;
}

// Every frame of the walk up to where it was lost returns to behind a call, as frames do that are no chance.
bool Unwinder::is_called_throughout(const Walk& walk, size_t frames, Surroundings& surroundings) {
  for (size_t i = 1; i < frames; ++i)
    if (!walk.is_exact[i] && !surroundings.follows_call(walk.addresses[i])) return false;
  return frames > 0;
}

// Code without rules and without frame pointers (musl's, hand-written assembly). Its return address is somewhere above sp:
// tried is each word that follows a call in code with rules, the nearest first, and believed is the first that leads to the
// root, be it past more such code (that which calls main). A wrong one hardly does: every frame above it would have to be
// sound too.
bool Unwinder::guess_caller(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out) {
  const auto& [surroundings, stack, frames_left, depth] = guessing;
  const uint64_t begin = lost.lost_at().sp;
  if (begin < stack.start || begin % 8 != 0 || depth >= kMostLost) return false;
  ++guessing.depth;
  const uint64_t generation = surroundings.code_generation();
  max_frames -= std::min(max_frames, lost.lost_frames());
  bool is_found = false;
  Walk tried;
  for (uint64_t at = begin; !is_found && frames_left > 0; at += 8) {
    if (at - begin >= kFarthestGuess || at - stack.start + 8 > stack.bytes.size()) break;
    uint64_t word = 0;
    std::memcpy(&word, stack.bytes.data() + (at - stack.start), 8);
    if (word < Walker::kLowestCode) continue;
    const Slot slot = lookup(word - 1, generation, surroundings);
    if (!slot.is_executable || slot.rule.cfa == Rule::Cfa::None || !surroundings.follows_call(word)) continue;
    Registers caller = lost.lost_at();
    caller.pc = word;
    caller.sp = at + 8;
    tried.addresses.clear();
    tried.is_exact.clear();
    Walker walker(*this, caller, stack, surroundings);
    walker.begins_at_return_address();
    walker.run(max_frames, tried);
    guessing.frames_left -= std::min(guessing.frames_left, tried.addresses.size());
    const bool is_sure = tried.end == End::Root && !walker.is_root_by_frame_pointer();
    is_found = is_sure ||
               (is_called_throughout(tried, walker.lost_frames(), surroundings) &&
                guess_caller(walker, guessing, max_frames, tried)) ||
               (walker.unknown_frames() > 0 && guess_register(walker, guessing, max_frames, tried)) ||
               tried.end == End::Root;
  }
  --guessing.depth;
  if (is_found) take_guess(tried, lost.lost_frames(), out);
  return is_found;
}

// aarch64: code without rules keeps a record (musl's does) of where it was called from, but not where its frame ends; and
// who called it has no record, only rules that want sp. Tried is each place above the record, the nearest first, and
// believed is the first that leads to the root by calls: beyond the right one it would be callers that are left out.
bool Unwinder::guess_sp(const Walker& doubtful, Surroundings& surroundings, const StackCopy& stack, size_t max_frames,
                        Walk& out) {
  const size_t kept_frames = doubtful.doubtful_frames() - 1;
  Registers caller = doubtful.doubtful_at();
  const uint64_t begin = (caller.sp + kStackAlignment - 1) / kStackAlignment * kStackAlignment;
  Walk tried;
  size_t frames = 0;
  for (caller.sp = begin; caller.sp - begin < kFarthestGuess && frames < Guessing::kMostFrames;
       caller.sp += kStackAlignment) {
    tried.addresses.clear();
    tried.is_exact.clear();
    Walker walker(*this, caller, stack, surroundings);
    walker.begins_at_return_address();
    walker.run(max_frames - kept_frames, tried);
    frames += tried.addresses.size();
    if (!walker.is_root_by_rule_or_record() || walker.doubtful_frames() > 0) continue;
    const bool is_called = tried.addresses.size() < 2 || tried.is_exact[1] || surroundings.follows_call(tried.addresses[1]);
    if (!is_called) continue;
    take_guess(tried, kept_frames, out);
    return true;
  }
  return false;
}

}  // namespace atys::unwind
