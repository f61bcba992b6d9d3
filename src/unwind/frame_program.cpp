// SPDX-License-Identifier: Apache-2.0
#include "unwind/frame_program.h"

#include <dwarf.h>

#include <limits>

#include "symbolize/cursor.h"
#include "unwind/frame_expression.h"
#include "unwind/machine_registers.h"

namespace atys::unwind {

using symbolize::Cursor;
using symbolize::FrameCommon;

namespace {

// Commons are a few bytes each; a hostile file could have each of its entries name a huge one.
constexpr uint64_t kMostCommonBytes = uint64_t{64} << 20;
constexpr size_t kDeepestRemembered = 64;

// How the value of a register in the caller is found.
struct Saved {
  enum class Kind : uint8_t { Unspecified, Undefined, SameValue, AtCfaPlus, AtExpression, Elsewhere };
  Kind kind = Kind::Unspecified;
  int64_t offset = 0;
  Expression expression;
};

bool fits(int64_t value) { return value == static_cast<int32_t>(value); }

}  // namespace

struct FramePrograms::State {
  bool cfa_is_expression = false;
  uint64_t cfa_register = std::numeric_limits<uint64_t>::max();
  int64_t cfa_offset = 0;
  Expression cfa_expression;
  Saved fp;
  Saved ra;
  Saved bx;
};

struct FramePrograms::Started {
  State state;
  bool ok = false;
};

class FramePrograms::Run {
 public:
  Run(Machine machine, const FrameCommon& common, State state, const State& initial)
      : machine_(machine), registers_(registers_of(machine)), common_(common), state_(state), initial_(initial) {}

  // False: the program makes no sense. `rows` null: the program of a common, in which no time passes.
  bool run(std::span<const std::byte> program, uint64_t begin, uint64_t end, std::vector<Row>* rows) {
    at_ = begin;
    end_ = end;
    rows_ = rows;
    Cursor cursor(program);
    while (!cursor.at_end())
      if (!step(cursor)) return false;
    if (!cursor.ok()) return false;
    emit();
    return true;
  }

  const State& state() const { return state_; }

 private:
  bool step(Cursor& cursor) {
    const auto code = cursor.fixed<uint8_t>();
    switch (code & 0xc0) {
      case DW_CFA_advance_loc: return advance(code & 0x3f);
      case DW_CFA_offset: return save(code & 0x3f, Saved::Kind::AtCfaPlus, factored(cursor.uleb()));
      case DW_CFA_restore: return restore(code & 0x3f);
      default: return step_extended(code, cursor) && cursor.ok();
    }
  }

  bool step_extended(uint8_t code, Cursor& cursor) {
    switch (code) {
      case DW_CFA_nop: return true;
      case DW_CFA_advance_loc1: return advance(cursor.fixed<uint8_t>());
      case DW_CFA_advance_loc2: return advance(cursor.fixed<uint16_t>());
      case DW_CFA_advance_loc4: return advance(cursor.fixed<uint32_t>());
      case DW_CFA_remember_state: return remember();
      case DW_CFA_restore_state: return restore_remembered();
      case DW_CFA_def_cfa:
      case DW_CFA_def_cfa_sf:
      case DW_CFA_def_cfa_register:
      case DW_CFA_def_cfa_offset:
      case DW_CFA_def_cfa_offset_sf:
      case DW_CFA_def_cfa_expression: return define_cfa(code, cursor);
      case DW_CFA_AARCH64_negate_ra_state: return true;  // signed addresses are recognised when they are read
      case DW_CFA_GNU_args_size: cursor.uleb(); return true;
      default: return step_register(code, cursor);
    }
  }

  bool step_register(uint8_t code, Cursor& cursor) {
    const uint64_t reg = cursor.uleb();
    switch (code) {
      case DW_CFA_offset_extended: return save(reg, Saved::Kind::AtCfaPlus, factored(cursor.uleb()));
      case DW_CFA_offset_extended_sf: return save(reg, Saved::Kind::AtCfaPlus, factored(cursor.sleb()));
      case DW_CFA_GNU_negative_offset_extended: return save(reg, Saved::Kind::AtCfaPlus, -factored(cursor.uleb()));
      case DW_CFA_restore_extended: return restore(reg);
      case DW_CFA_undefined: return save(reg, Saved::Kind::Undefined);
      case DW_CFA_same_value: return save(reg, Saved::Kind::SameValue);
      case DW_CFA_register:
      case DW_CFA_val_offset:
      case DW_CFA_val_offset_sf: cursor.uleb(); return save(reg, Saved::Kind::Elsewhere);
      case DW_CFA_val_expression: cursor.block(cursor.uleb()); return save(reg, Saved::Kind::Elsewhere);
      case DW_CFA_expression: {
        const Expression expression = read_expression(cursor.block(cursor.uleb()), machine_);
        return save(reg, Saved::Kind::AtExpression, 0, expression);
      }
      default: return false;
    }
  }

  bool define_cfa(uint8_t code, Cursor& cursor) {
    if (code == DW_CFA_def_cfa_expression) {
      state_.cfa_is_expression = true;
      state_.cfa_expression = read_expression(cursor.block(cursor.uleb()), machine_);
      return true;
    }
    if (code == DW_CFA_def_cfa || code == DW_CFA_def_cfa_sf || code == DW_CFA_def_cfa_register)
      state_.cfa_register = cursor.uleb();
    if (code == DW_CFA_def_cfa || code == DW_CFA_def_cfa_offset) state_.cfa_offset = static_cast<int64_t>(cursor.uleb());
    if (code == DW_CFA_def_cfa_sf || code == DW_CFA_def_cfa_offset_sf) state_.cfa_offset = factored(cursor.sleb());
    state_.cfa_is_expression = false;
    return true;
  }

  // Wraps around rather than overflow; what does not fit a rule is refused when the rule is made.
  template <typename T>
  int64_t factored(T value) const {
    return static_cast<int64_t>(static_cast<uint64_t>(value) * static_cast<uint64_t>(common_.data_align));
  }

  bool save(uint64_t reg, Saved::Kind kind, int64_t offset = 0, const Expression& expression = {}) {
    if (reg == registers_.fp) state_.fp = {kind, offset, expression};
    if (reg == common_.return_register) state_.ra = {kind, offset, expression};
    if (reg == registers_.bx) state_.bx = {kind, offset, expression};
    return true;
  }

  bool restore(uint64_t reg) {
    if (reg == registers_.fp) state_.fp = initial_.fp;
    if (reg == common_.return_register) state_.ra = initial_.ra;
    if (reg == registers_.bx) state_.bx = initial_.bx;
    return true;
  }

  bool remember() {
    if (remembered_.size() == kDeepestRemembered) return false;
    remembered_.push_back(state_);
    return true;
  }

  bool restore_remembered() {
    if (remembered_.empty()) return false;
    state_ = remembered_.back();
    remembered_.pop_back();
    return true;
  }

  bool advance(uint64_t delta) {
    emit();
    const uint64_t bytes = delta * common_.code_align;
    if (common_.code_align > 64 || bytes > end_ - at_) return false;
    at_ += bytes;
    return true;
  }

  void emit() {
    if (rows_ == nullptr || at_ >= end_) return;
    const Row row{at_, make_rule()};
    if (!rows_->empty() && rows_->back().address == at_)
      rows_->back() = row;
    else
      rows_->push_back(row);
  }

  Rule make_rule() const {
    Rule rule;
    if (common_.is_signal_frame) {
      rule.cfa = Rule::Cfa::SignalFrame;
      return rule;
    }
    if (state_.ra.kind == Saved::Kind::Undefined) {
      rule.cfa = Rule::Cfa::Root;
      return rule;
    }
    if (!set_cfa(rule) || !set_fp(rule) || !set_ra(rule) || !set_bx(rule)) rule = {.cfa = Rule::Cfa::Unsupported};
    return rule;
  }

  bool set_cfa(Rule& rule) const {
    if (state_.cfa_is_expression) {
      if (state_.cfa_expression.kind == Rule::Cfa::Unsupported) return false;
      rule.cfa = state_.cfa_expression.kind;
      rule.cfa_offset = state_.cfa_expression.offset;
      rule.cfa_extra = state_.cfa_expression.extra;
      return true;
    }
    if (state_.cfa_register == registers_.sp)
      rule.cfa = Rule::Cfa::SpPlus;
    else if (state_.cfa_register == registers_.fp)
      rule.cfa = Rule::Cfa::FpPlus;
    else if (state_.cfa_register == registers_.bx)
      rule.cfa = Rule::Cfa::BxPlus;
    else
      return false;
    rule.cfa_offset = static_cast<int32_t>(state_.cfa_offset);
    return fits(state_.cfa_offset);
  }

  bool set_fp(Rule& rule) const {
    switch (state_.fp.kind) {
      case Saved::Kind::AtCfaPlus:
        rule.fp = Rule::Fp::AtCfaPlus;
        rule.fp_offset = static_cast<int32_t>(state_.fp.offset);
        return fits(state_.fp.offset);
      case Saved::Kind::AtExpression:
        rule.fp_offset = state_.fp.expression.offset;
        if (state_.fp.expression.kind == Rule::Cfa::FpPlus) rule.fp = Rule::Fp::AtFpPlus;
        if (state_.fp.expression.kind == Rule::Cfa::SpPlus) rule.fp = Rule::Fp::AtSpPlus;
        return rule.fp != Rule::Fp::Unchanged;
      default: rule.fp = Rule::Fp::Unchanged; return true;
    }
  }

  bool set_ra(Rule& rule) const {
    // Some assembly has its own calling convention.
    if (common_.return_register != registers_.ra) return false;
    if (state_.ra.kind == Saved::Kind::AtCfaPlus) {
      rule.ra = Rule::Ra::AtCfaPlus;
      rule.ra_offset = static_cast<int32_t>(state_.ra.offset);
      return fits(state_.ra.offset);
    }
    rule.ra = Rule::Ra::InLr;
    return machine_ == Machine::Aarch64 &&
           (state_.ra.kind == Saved::Kind::Unspecified || state_.ra.kind == Saved::Kind::SameValue);
  }

  bool set_bx(Rule& rule) const {
    if (state_.bx.kind != Saved::Kind::AtCfaPlus) return true;
    rule.bx_offset = static_cast<int32_t>(state_.bx.offset);
    return fits(state_.bx.offset);
  }

  Machine machine_;
  MachineRegisters registers_;
  const FrameCommon& common_;
  State state_;
  const State& initial_;
  std::vector<State> remembered_;
  uint64_t at_ = 0;
  uint64_t end_ = 0;
  std::vector<Row>* rows_ = nullptr;
};

FramePrograms::FramePrograms(Machine machine, const FrameSection& section)
    : machine_(machine), section_(section), started_(section.commons.size()), common_bytes_left_(kMostCommonBytes) {}

FramePrograms::~FramePrograms() = default;

const FramePrograms::Started& FramePrograms::started(uint32_t index) {
  std::unique_ptr<Started>& made = started_[index];
  if (made != nullptr) return *made;
  made = std::make_unique<Started>();
  const FrameCommon& common = section_.commons[index];
  if (!common.is_readable || common.program.size() > common_bytes_left_) return *made;
  common_bytes_left_ -= common.program.size();
  const State nothing;
  Run run(machine_, common, nothing, nothing);
  made->ok = run.run(common.program, 0, 0, nullptr);
  made->state = run.state();
  return *made;
}

void FramePrograms::run(const FrameEntry& entry, std::vector<Row>& rows) {
  const size_t before = rows.size();
  const Started& from = started(entry.common);
  Run run(machine_, section_.commons[entry.common], from.state, from.state);
  if (from.ok && run.run(entry.program, entry.begin, entry.end, &rows)) return;
  rows.resize(before);
  rows.push_back({entry.begin, {.cfa = Rule::Cfa::Unsupported}});
}

}  // namespace atys::unwind
