// SPDX-License-Identifier: Apache-2.0
// The rules of one binary, compiled once from its call frame information: 6 bytes a row and each distinct rule once.
// Immutable, so threads may share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "symbolize/elf_file.h"
#include "unwind/frame_program.h"
#include "unwind/rule.h"

namespace atys::unwind {

class UnwindTable {
 public:
  // From .eh_frame, and from .debug_frame for code that the first does not know. A binary without either gives a table that
  // knows only the well-known ends of stacks (see landmarks.h), perhaps nothing.
  static Result<UnwindTable> compile(const symbolize::ElfFile& file);
  // Of rows in ascending order of address; the last one ends the table and its rule is not used.
  static UnwindTable from_rows(Machine machine, std::span<const Row> rows);

  // Null: no information there. The address is the file's own.
  const Rule* find(uint64_t file_address) const {
    if (file_address < base_ || file_address - base_ > UINT32_MAX) return nullptr;
    return find_relative(static_cast<uint32_t>(file_address - base_));
  }

  // Where the function around the address makes the frame that the address is in: the nearest such place before it.
  struct FrameBegin {
    uint64_t saved = 0;  // the caller's frame pointer is on the stack from here on
    uint64_t made = 0;   // and the frame pointer is the function's own
  };
  std::optional<FrameBegin> frame_begin_before(uint64_t file_address) const;  // nothing: there is none in sight

  // The share of the code with rules in which following frame pointers finds the caller (on aarch64 with the help of lr in
  // code that has not saved it). Near 1: the binary keeps frame pointers. 0 if there are no rules.
  double frame_pointer_share() const;

  Machine machine() const { return machine_; }
  size_t size() const { return starts_.size(); }
  size_t memory_bytes() const;

  // For a cache on disk. parse() takes nothing on trust.
  Bytes serialize() const;
  static Result<UnwindTable> parse(std::span<const std::byte> bytes);

  // Calls visit(begin, end, rule) for each row that has a rule.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (size_t i = 0; i + 1 < starts_.size(); ++i)
      if (const Rule& rule = rules_[rule_of_[i]]; rule.cfa != Rule::Cfa::None)
        visit(base_ + starts_[i], base_ + starts_[i + 1], rule);
  }

 private:
  UnwindTable() = default;
  const Rule* find_relative(uint32_t offset) const;
  size_t row_of(uint32_t offset) const;
  void index();

  Machine machine_ = Machine::X86_64;
  uint64_t base_ = 0;
  std::vector<uint32_t> starts_;   // strictly ascending, relative to base_; the last one is the end
  std::vector<uint16_t> rule_of_;  // as long as starts_
  std::vector<Rule> rules_;
  // first_row_[p] is the last row that starts at or before page p: the search is then among the rows of a page.
  std::vector<uint32_t> first_row_;
};

}  // namespace atys::unwind
