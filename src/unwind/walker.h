// SPDX-License-Identifier: Apache-2.0
// One walk of an unwinder up a stack, by rules where there are any and by frame pointers where not. Where it was lost, and
// what it could not be sure of, it tells the unwinder, which may guess (unwinder.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "unwind/machine_registers.h"
#include "unwind/unwinder.h"

namespace atys::unwind {

// What a walk that guesses has to do with.
struct Unwinder::Guessing {
  // A hostile stack might let each guess walk far.
  static constexpr size_t kMostFrames = 8192;

  Surroundings& surroundings;
  const StackCopy& stack;
  size_t frames_left = kMostFrames;
  size_t depth = 0;
};

// One walk. Each step either ends it or makes the registers those of the caller.
class Unwinder::Walker {
 public:
  static constexpr uint64_t kLowestCode = 4096;

  Walker(Unwinder& unwinder, const Registers& registers, const StackCopy& stack, Surroundings& surroundings)
      : unwinder_(unwinder),
        machine_(unwinder.machine_),
        surroundings_(surroundings),
        stack_(stack),
        generation_(surroundings.code_generation()),
        at_(registers),
        knows_lr_(registers.has_lr) {
    at_.pc = code_address(at_.pc);
  }

  void run(size_t max_frames, Walk& out) {
    while (true) {
      if (out.addresses.size() >= max_frames) {
        end_ = End::TooDeep;
        break;
      }
      const Slot& slot = unwinder_.lookup(is_exact_ ? at_.pc : at_.pc - 1, generation_, surroundings_);
      if (!slot.is_executable && !out.addresses.empty()) {
        end_ = End::BadPointer;
        break;
      }
      out.addresses.push_back(at_.pc);
      out.is_exact.push_back(is_exact_);
      if (lost_frames_ == 0 && is_without_rule(slot)) {
        lost_frames_ = out.addresses.size();
        lost_at_ = at_;
      }
      frames_ = out.addresses.size();
      if (!step(slot)) break;
    }
    out.end = end_;
    out.by_frame_pointer = by_frame_pointer_;
  }

  // Where the first frame was whose code has no rule, and how many frames there were then; 0: none.
  const Registers& lost_at() const { return lost_at_; }
  size_t lost_frames() const { return lost_frames_; }
  // aarch64: where the first frame was whose caller could be found by sp only, which was not known, and how many frames
  // there were then; 0: none. The frame pointer was followed instead, past all callers that have none.
  const Registers& doubtful_at() const { return doubtful_at_; }
  size_t doubtful_frames() const { return doubtful_frames_; }
  // The frame whose rule wants a register that is not known, and how many frames there were then; 0: none.
  const Registers& unknown_at() const { return unknown_at_; }
  const Rule& unknown_rule() const { return unknown_rule_; }
  size_t unknown_frames() const { return unknown_frames_; }
  // A return address of 0 is the root, and also what lies about on stacks.
  bool is_root_by_rule_or_record() const { return end_ == End::Root && !is_end_by_zero_; }
  // A frame pointer said so, in the last frame. Code without rules may keep anything else in that register.
  bool is_root_by_frame_pointer() const { return end_ == End::Root && is_end_by_frame_pointer_; }
  void begins_at_return_address() { is_exact_ = knows_lr_ = false; }
  // Of code whose record is known, but not where its frame ends.
  void begins_above_record() { is_exact_ = knows_lr_ = knows_sp_ = false; }

 private:
  // A stack may go through a signal handler that was itself interrupted. Other frames make progress by growing; these need
  // not.
  static constexpr int kMostSignalFrames = 16;
  // No frame is larger; a hostile one might wrap around.
  static constexpr uint64_t kLargestFrame = uint64_t{1} << 32;
  // How far below sp a register may have been saved.
  static constexpr uint64_t kLargestEpilogue = 4096;

  bool end(End reason) {
    end_ = reason;
    return false;
  }

  // In a binary. Code made at run time keeps frame pointers, or nothing can be known about it.
  static bool is_without_rule(const Slot& slot) {
    return slot.has_table && (slot.rule.cfa == Rule::Cfa::None || slot.rule.cfa == Rule::Cfa::Unsupported);
  }

  bool step(const Slot& slot) {
    if (!slot.is_executable) return step_from_bad_call();
    const Rule& rule = slot.rule;
    switch (rule.cfa) {
      case Rule::Cfa::Root: return end(End::Root);
      case Rule::Cfa::SignalFrame: return step_over_signal();
      case Rule::Cfa::None:
      case Rule::Cfa::Unsupported: return is_leaf_of_other_code() ? step_to_lr() : step_by_frame_pointer();
      case Rule::Cfa::SpPlus:
      case Rule::Cfa::AtSpPlus:
      case Rule::Cfa::Plt: return knows_sp_ ? step_by_rule(rule) : step_by_record(rule);
      default: return step_by_rule(rule);
    }
  }

  // Whoever has fewer registers than the rule wants may find another way (guess_register.cpp).
  bool end_without_register(const Rule& rule) {
    unknown_at_ = at_;
    unknown_rule_ = rule;
    unknown_frames_ = frames_;
    return end(End::NoRegister);
  }

  bool lacks_register(const Rule& rule) const {
    const bool is_of_fp = rule.cfa == Rule::Cfa::FpPlus || rule.cfa == Rule::Cfa::AtFpPlus;
    const bool is_of_unknown_lr = rule.ra == Rule::Ra::InLr && is_exact_ && !knows_lr_;
    return (is_of_fp && !at_.has_fp) || (rule.cfa == Rule::Cfa::BxPlus && !at_.has_bx) || is_of_unknown_lr;
  }

  bool step_by_rule(const Rule& rule) {
    if (lacks_register(rule)) return end_without_register(rule);
    uint64_t cfa = 0;
    if (!read_cfa(rule, cfa)) return false;
    uint64_t ra = at_.lr;
    uint64_t fp = at_.fp;
    const bool is_leaf = rule.ra == Rule::Ra::InLr;
    // lr is the return address only in a function that has called nothing since.
    if (is_leaf && !knows_lr_) return step_by_frame_pointer();
    // Where sp is not known, at_.sp is less than it.
    if (is_leaf ? cfa < at_.sp : cfa <= at_.sp) return end(End::BadPointer);
    if (cfa - at_.sp > kLargestFrame) return end(End::BadPointer);
    if (!is_leaf && !read(cfa + offset(rule.ra_offset), ra)) return false;
    if (!restore_fp(rule, cfa, fp)) return false;
    if (rule.bx_offset != 0 && !restore(cfa + offset(rule.bx_offset), at_.bx, at_.has_bx)) return false;
    is_end_by_zero_ = code_address(ra) == 0;
    return go_to(ra, cfa, fp);
  }

  bool read_cfa(const Rule& rule, uint64_t& cfa) {
    const bool is_of_fp = rule.cfa == Rule::Cfa::FpPlus || rule.cfa == Rule::Cfa::AtFpPlus;
    cfa = (is_of_fp ? at_.fp : rule.cfa == Rule::Cfa::BxPlus ? at_.bx : at_.sp) + offset(rule.cfa_offset);
    if (rule.cfa == Rule::Cfa::Plt && (at_.pc & 15) >= static_cast<uint64_t>(rule.cfa_extra)) cfa += 8;
    if (rule.cfa != Rule::Cfa::AtFpPlus && rule.cfa != Rule::Cfa::AtSpPlus) return true;
    if (!read(cfa, cfa)) return false;
    cfa += offset(rule.cfa_extra);
    return true;
  }

  bool restore_fp(const Rule& rule, uint64_t cfa, uint64_t& fp) {
    if (rule.fp == Rule::Fp::Unchanged || (rule.fp == Rule::Fp::AtFpPlus && !at_.has_fp)) return true;
    return restore(fp_base(rule, cfa) + offset(rule.fp_offset), fp, at_.has_fp);
  }

  uint64_t fp_base(const Rule& rule, uint64_t cfa) const {
    if (rule.fp == Rule::Fp::AtFpPlus) return at_.fp;
    return rule.fp == Rule::Fp::AtSpPlus ? at_.sp : cfa;
  }

  static uint64_t offset(int64_t value) { return static_cast<uint64_t>(value); }

  // Both machines keep the caller's frame pointer and, above it, the return address where the frame pointer points.
  bool step_by_frame_pointer() {
    if (!at_.has_fp) return end(End::NoRegister);
    ++by_frame_pointer_;
    const uint64_t record = at_.fp;
    is_end_by_frame_pointer_ = true;
    if (record == 0) return end(End::Root);
    if (record < at_.sp || record % 8 != 0 || record - at_.sp > kLargestFrame) return end(End::NoRule);
    uint64_t fp = 0;
    uint64_t ra = 0;
    if (!read(record, fp) || !read(record + 8, ra)) return false;
    if (!go_to(ra, record + 16, fp)) return false;
    is_end_by_frame_pointer_ = false;
    // aarch64 keeps the record at the lower end of the frame: where the frame ends is not known.
    knows_sp_ = machine_ == Machine::X86_64;
    return true;
  }

  // aarch64: sp is not known, but if the rule says where in its frame the function keeps its record, that is where the
  // frame pointer points. From there on sp is known again.
  bool step_by_record(const Rule& rule) {
    const bool has_record = rule.cfa == Rule::Cfa::SpPlus && rule.fp == Rule::Fp::AtCfaPlus &&
                            rule.ra == Rule::Ra::AtCfaPlus && rule.fp_offset < 0 && rule.ra_offset == rule.fp_offset + 8;
    const uint64_t record = at_.fp;
    if (!has_record || record < at_.sp || record % 8 != 0 || record - at_.sp > kLargestFrame) {
      if (doubtful_frames_ == 0) {
        doubtful_frames_ = frames_;
        doubtful_at_ = at_;
      }
      return step_by_frame_pointer();
    }
    uint64_t fp = 0;
    uint64_t ra = 0;
    if (!read(record, fp) || !read(record + 8, ra)) return false;
    return go_to(ra, record - offset(rule.fp_offset), fp);
  }

  // aarch64: code without rules that calls nothing (the vDSO's), or has only just begun (musl's), has no record of its own,
  // and its caller is in lr. Of code that has called, lr points into that code itself, which has no rules either.
  bool is_leaf_of_other_code() {
    if (machine_ != Machine::Aarch64 || !knows_lr_) return false;
    const uint64_t lr = code_address(at_.lr);
    uint64_t recorded = 0;
    const bool has_own_record = at_.fp >= at_.sp && read(at_.fp + 8, recorded) && code_address(recorded) == lr;
    if (lr < kLowestCode || has_own_record) return false;
    const CodeAt caller = surroundings_.code_at(lr - 1);
    if (caller.table == nullptr || !surroundings_.follows_call(lr)) return false;
    if (caller.table != surroundings_.code_at(at_.pc).table) return true;
    const Rule* rule = caller.table->find(lr - 1 - caller.bias);
    return rule != nullptr && rule->cfa != Rule::Cfa::Unsupported;
  }

  // Where the frame of the leaf ends is not known.
  bool step_to_lr() {
    ++by_frame_pointer_;
    if (!go_to(at_.lr, at_.sp, at_.fp)) return false;
    knows_sp_ = false;
    return true;
  }

  bool step_over_signal() {
    if (++signal_frames_ > kMostSignalFrames || !knows_sp_) return end(End::BadPointer);
    const SignalFrameOffsets offsets = signal_frame_of(machine_);
    Registers interrupted;
    const uint64_t sp = at_.sp;
    if (!read(sp + offsets.pc, interrupted.pc) || !read(sp + offsets.sp, interrupted.sp) ||
        !read(sp + offsets.fp, interrupted.fp))
      return false;
    if (machine_ == Machine::Aarch64 && !read(sp + offsets.lr, interrupted.lr)) return false;
    if (machine_ == Machine::X86_64 && !read(sp + offsets.bx, interrupted.bx)) return false;
    at_ = interrupted;
    at_.pc = code_address(at_.pc);
    is_exact_ = knows_sp_ = knows_lr_ = true;
    return true;
  }

  // The thread has jumped to where no code is; the call itself was sound.
  bool step_from_bad_call() {
    if (machine_ == Machine::Aarch64) return knows_lr_ ? go_to(at_.lr, at_.sp, at_.fp) : end(End::BadPointer);
    uint64_t ra = 0;
    return read(at_.sp, ra) && go_to(ra, at_.sp + 8, at_.fp);
  }

  bool go_to(uint64_t ra, uint64_t sp, uint64_t fp) {
    ra = code_address(ra);
    if (ra == 0) return end(End::Root);
    at_ = {.pc = ra, .sp = sp, .fp = fp, .lr = 0, .bx = at_.bx, .has_fp = at_.has_fp, .has_lr = false, .has_bx = at_.has_bx};
    is_exact_ = knows_lr_ = false;
    knows_sp_ = true;
    return true;
  }

  // Where a register was saved. Below sp nothing is saved any more: on its way out the function has taken it back already,
  // though its rules do not say so.
  bool restore(uint64_t address, uint64_t& value, bool& is_known) {
    if (knows_sp_ && address < at_.sp && at_.sp - address < kLargestEpilogue) return true;
    if (!read(address, value)) return false;
    is_known = true;
    return true;
  }

  uint64_t code_address(uint64_t address) const {
    return machine_ == Machine::Aarch64 ? strip_pointer_authentication(address) : address;
  }

  bool read(uint64_t address, uint64_t& word) {
    const uint64_t at = address - stack_.start;
    if (address >= stack_.start && stack_.bytes.size() >= 8 && at <= stack_.bytes.size() - 8) {
      std::memcpy(&word, stack_.bytes.data() + at, 8);
      return true;
    }
    if (surroundings_.read_word(address, word)) return true;
    return end(address >= stack_.start ? End::StackCopyEnded : End::BadPointer);
  }

  Unwinder& unwinder_;
  Machine machine_;
  Surroundings& surroundings_;
  const StackCopy& stack_;
  uint64_t generation_;
  Registers at_;
  bool is_exact_ = true;
  bool knows_sp_ = true;
  bool knows_lr_;
  int signal_frames_ = 0;
  uint32_t by_frame_pointer_ = 0;
  Registers lost_at_;
  size_t lost_frames_ = 0;
  Registers doubtful_at_;
  size_t doubtful_frames_ = 0;
  Registers unknown_at_;
  Rule unknown_rule_;
  size_t unknown_frames_ = 0;
  size_t frames_ = 0;
  bool is_end_by_zero_ = false;
  bool is_end_by_frame_pointer_ = false;
  End end_ = End::NoRule;
};

}  // namespace atys::unwind
