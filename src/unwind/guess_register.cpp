// SPDX-License-Identifier: Apache-2.0
// Walks of threads of which only pc and sp are known, at a frame whose rule wants more than that.
#include <algorithm>
#include <array>
#include <cstring>

#include "unwind/call_target.h"
#include "unwind/prologue.h"
#include "unwind/walker.h"

namespace atys::unwind {

namespace {

// How far above the least place the frame pointer is looked for.
constexpr uint64_t kLargestOpenFrame = uint64_t{64} << 10;
// From its first instruction to where it has saved the frame pointer.
constexpr uint64_t kLongestEntry = 16;
constexpr size_t kLongestPrologue = 96;

std::optional<uint64_t> word_in(const StackCopy& stack, uint64_t address) {
  const uint64_t at = address - stack.start;
  if (address < stack.start || stack.bytes.size() < 8 || at > stack.bytes.size() - 8) return std::nullopt;
  uint64_t word = 0;
  std::memcpy(&word, stack.bytes.data() + at, sizeof(word));
  return word;
}

// The function that a frame is of, as far as its rules tell.
class Function {
 public:
  // The address is in its code.
  static std::optional<Function> around(Machine machine, uint64_t address, Surroundings& surroundings) {
    const CodeAt code = surroundings.code_at(address);
    const auto begin = code.table == nullptr ? std::nullopt : code.table->frame_begin_before(address - code.bias);
    if (!begin) return std::nullopt;
    return Function(machine, {begin->saved + code.bias, begin->made + code.bias}, surroundings);
  }

  // How far sp is below the frame pointer at least.
  uint64_t least_size() {
    std::array<std::byte, kLongestPrologue> code{};
    if (machine_ != Machine::X86_64 || surroundings_.read_memory(frame_.made, code) != code.size()) return 0;
    return least_lowering(code);
  }

  enum class CalledBy {
    Nobody,   // no call, or one of a function that does not lead here
    Doubt,    // a call of another function, which may jump here
    Perhaps,  // whom it calls is in a register
    Surely,
  };
  CalledBy called_by(uint64_t return_address) {
    const Call call = call_before(machine_, return_address, surroundings_);
    if (!call.is_call) return CalledBy::Nobody;
    if (!call.target) return CalledBy::Perhaps;
    const uint64_t target = follow_jump(machine_, *call.target, surroundings_);
    if (begins_at(*call.target) || begins_at(target)) return CalledBy::Surely;
    const auto is_here = [this](uint64_t address) { return begins_at(address); };
    return may_jump(machine_, target, is_here, surroundings_) ? CalledBy::Doubt : CalledBy::Nobody;
  }

 private:
  Function(Machine machine, UnwindTable::FrameBegin frame, Surroundings& surroundings)
      : machine_(machine), frame_(frame), surroundings_(surroundings) {}

  bool begins_at(uint64_t address) const { return address < frame_.saved && frame_.saved - address <= kLongestEntry; }

  Machine machine_;
  UnwindTable::FrameBegin frame_;
  Surroundings& surroundings_;
};

}  // namespace

bool Unwinder::guess_register(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out) {
  if (lost.unknown_rule().cfa == Rule::Cfa::FpPlus && lost.unknown_rule().ra == Rule::Ra::AtCfaPlus)
    return guess_fp(lost, guessing, max_frames, out);
  if (machine_ == Machine::Aarch64 && lost.unknown_rule().cfa == Rule::Cfa::SpPlus)
    return guess_past_leaf(lost, guessing, max_frames, out);
  return false;
}

// A function that keeps its frame by the frame pointer, which is in a register still. Its return address is somewhere above
// sp: tried is each word that follows a call, the nearest first. What was left behind by functions that have returned looks
// the same, up to the root. So the call has to be one of this very function; where whom it calls is in a register, it is
// believed only if nothing before it might have been.
bool Unwinder::guess_fp(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out) {
  const auto& [surroundings, stack, frames_left, depth] = guessing;
  const Rule& rule = lost.unknown_rule();
  const size_t kept_frames = lost.unknown_frames();
  auto function = Function::around(machine_, lost.unknown_at().pc - 1, surroundings);
  if (!function || max_frames <= kept_frames) return false;
  const uint64_t begin = lost.unknown_at().sp + function->least_size();
  const auto signed_offset = [](int64_t offset) { return static_cast<uint64_t>(offset); };
  bool is_doubtful = false;
  Walk tried;
  for (uint64_t fp = begin; fp - begin < kLargestOpenFrame && frames_left > 0; fp += 8) {
    const uint64_t cfa = fp + signed_offset(rule.cfa_offset);
    const auto word = word_in(stack, cfa + signed_offset(rule.ra_offset));
    if (!word) break;
    const uint64_t ra = machine_ == Machine::Aarch64 ? strip_pointer_authentication(*word) : *word;
    if (ra < Walker::kLowestCode || !lookup(ra - 1, surroundings.code_generation(), surroundings).is_executable) continue;
    const Function::CalledBy called_by = function->called_by(ra);
    if (called_by == Function::CalledBy::Nobody || (called_by == Function::CalledBy::Perhaps && is_doubtful)) continue;
    Registers caller{.pc = ra, .sp = cfa, .bx = lost.unknown_at().bx, .has_fp = false, .has_bx = lost.unknown_at().has_bx};
    const auto saved = rule.fp == Rule::Fp::AtCfaPlus ? word_in(stack, cfa + signed_offset(rule.fp_offset)) : std::nullopt;
    caller.fp = saved.value_or(0);
    caller.has_fp = saved.has_value();
    tried.addresses.clear();
    tried.is_exact.clear();
    Walker walker(*this, caller, stack, surroundings);
    walker.begins_at_return_address();
    walker.run(max_frames - kept_frames, tried);
    guessing.frames_left -= std::min(guessing.frames_left, tried.addresses.size());
    if (tried.end != End::Root) continue;
    if (called_by == Function::CalledBy::Doubt) {
      is_doubtful = true;
      continue;
    }
    take_guess(tried, kept_frames, out);
    return true;
  }
  return false;
}

// aarch64: a function without a frame waits, and where it returns to is in lr still. Its caller has its record where its
// frame begins, if it is one like most; who called that is in there, and whom he called is in his code: the function between
// is known, though not the place in it.
bool Unwinder::guess_past_leaf(const Walker& lost, Guessing& guessing, size_t max_frames, Walk& out) {
  const size_t kept_frames = lost.unknown_frames();
  const uint64_t record = lost.unknown_at().sp + static_cast<uint64_t>(int64_t{lost.unknown_rule().cfa_offset});
  const auto fp = word_in(guessing.stack, record);
  const auto word = word_in(guessing.stack, record + 8);
  if (!fp || !word || max_frames < kept_frames + 2) return false;
  const uint64_t ra = strip_pointer_authentication(*word);
  if (ra < Walker::kLowestCode) return false;
  const Call call = call_before(machine_, ra, guessing.surroundings);
  if (!call.is_call) return false;
  Walk tried;
  const uint64_t generation = guessing.surroundings.code_generation();
  const bool knows_between = call.target && lookup(*call.target, generation, guessing.surroundings).is_executable;
  if (knows_between) {
    tried.addresses.push_back(follow_jump(machine_, *call.target, guessing.surroundings));
    tried.is_exact.push_back(true);
  }
  Walker walker(*this, {.pc = ra, .sp = record + 16, .fp = *fp, .has_lr = false}, guessing.stack, guessing.surroundings);
  walker.begins_above_record();
  walker.run(max_frames - kept_frames, tried);
  if (tried.end != End::Root) return false;
  take_guess(tried, kept_frames, out);
  return true;
}

}  // namespace atys::unwind
