// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwind_table.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace atys::unwind {

namespace {

constexpr unsigned kPageBits = 12;
constexpr size_t kMostRules = UINT16_MAX;

struct HashRule {
  size_t operator()(const Rule& rule) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&rule), sizeof(rule)});
  }
};

// Gives equal rules one number. Should a binary have more rules than numbers, the rest is followed by frame pointers.
class RuleNumbers {
 public:
  explicit RuleNumbers(std::vector<Rule>& rules) : rules_(rules) {}

  uint16_t of(const Rule& rule) {
    if (rules_.size() == kMostRules && !numbers_.contains(rule)) return of_unsupported();
    const auto [found, is_new] = numbers_.try_emplace(rule, static_cast<uint16_t>(rules_.size()));
    if (is_new) rules_.push_back(rule);
    return found->second;
  }

 private:
  uint16_t of_unsupported() {
    static constexpr Rule kUnsupported{.cfa = Rule::Cfa::Unsupported};
    const auto found = numbers_.find(kUnsupported);
    if (found != numbers_.end()) return found->second;
    rules_.push_back(kUnsupported);
    return numbers_[kUnsupported] = kMostRules;
  }

  std::vector<Rule>& rules_;
  std::unordered_map<Rule, uint16_t, HashRule> numbers_;
};

bool frame_pointers_work(const Rule& rule, Machine machine) {
  if (machine == Machine::X86_64) return rule.cfa == Rule::Cfa::FpPlus;
  const bool has_record = rule.fp == Rule::Fp::AtCfaPlus && rule.ra_offset == rule.fp_offset + 8;
  return rule.ra == Rule::Ra::InLr || has_record;
}

constexpr size_t kMostRowsOfFunction = 256;

// As a function begins.
bool is_entry(const Rule& rule, Machine machine) {
  const bool has_nothing_saved = rule.cfa == Rule::Cfa::SpPlus && rule.fp == Rule::Fp::Unchanged;
  return has_nothing_saved && (machine == Machine::X86_64 ? rule.cfa_offset == 8 : rule.ra == Rule::Ra::InLr);
}

// Followed by sp still, and the frame pointer is free to be made its own.
bool is_first_save(const Rule& rule, Machine machine) {
  if (rule.cfa != Rule::Cfa::SpPlus || rule.fp != Rule::Fp::AtCfaPlus) return false;
  return machine == Machine::X86_64 ? rule.cfa_offset == 16 && rule.fp_offset == -16 : rule.ra == Rule::Ra::AtCfaPlus;
}

}  // namespace

UnwindTable UnwindTable::from_rows(Machine machine, std::span<const Row> rows) {
  UnwindTable table;
  table.machine_ = machine;
  if (rows.empty()) return table;
  table.base_ = rows.front().address;
  RuleNumbers numbers(table.rules_);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].address - table.base_ > UINT32_MAX) break;
    const bool is_last = i + 1 == rows.size() || rows[i + 1].address - table.base_ > UINT32_MAX;
    const uint16_t number = numbers.of(is_last ? Rule{} : rows[i].rule);
    if (!is_last && !table.rule_of_.empty() && table.rule_of_.back() == number) continue;
    table.starts_.push_back(static_cast<uint32_t>(rows[i].address - table.base_));
    table.rule_of_.push_back(number);
  }
  table.starts_.shrink_to_fit();
  table.rule_of_.shrink_to_fit();
  table.index();
  return table;
}

void UnwindTable::index() {
  if (starts_.empty()) return;
  const size_t pages = (starts_.back() >> kPageBits) + 2;
  first_row_.resize(pages);
  uint32_t row = 0;
  for (size_t page = 0; page < pages; ++page) {
    while (row + 1 < starts_.size() && starts_[row + 1] <= uint64_t{page} << kPageBits) ++row;
    first_row_[page] = row;
  }
}

// The offset is before the end of the table.
size_t UnwindTable::row_of(uint32_t offset) const {
  const size_t page = offset >> kPageBits;
  const auto from = starts_.begin() + first_row_[page];
  const auto to = starts_.begin() + first_row_[page + 1] + 1;
  return static_cast<size_t>(std::upper_bound(from, to, offset) - starts_.begin()) - 1;
}

std::optional<UnwindTable::FrameBegin> UnwindTable::frame_begin_before(uint64_t file_address) const {
  if (find(file_address) == nullptr) return std::nullopt;
  const size_t last = row_of(static_cast<uint32_t>(file_address - base_));
  for (size_t row = last; row > 0 && last - row < kMostRowsOfFunction; --row) {
    const Rule& before = rules_[rule_of_[row - 1]];
    if (before.cfa == Rule::Cfa::None) return std::nullopt;
    if (is_entry(before, machine_) && is_first_save(rules_[rule_of_[row]], machine_))
      return FrameBegin{base_ + starts_[row], base_ + starts_[std::min(row + 1, last)]};
  }
  return std::nullopt;
}

const Rule* UnwindTable::find_relative(uint32_t offset) const {
  if (starts_.empty() || offset >= starts_.back()) return nullptr;
  const Rule& rule = rules_[rule_of_[row_of(offset)]];
  return rule.cfa == Rule::Cfa::None ? nullptr : &rule;
}

double UnwindTable::frame_pointer_share() const {
  uint64_t all = 0;
  uint64_t good = 0;
  for_each([&](uint64_t begin, uint64_t end, const Rule& rule) {
    if (rule.cfa == Rule::Cfa::Plt || rule.cfa == Rule::Cfa::Root || rule.cfa == Rule::Cfa::SignalFrame) return;
    all += end - begin;
    if (frame_pointers_work(rule, machine_)) good += end - begin;
  });
  return all == 0 ? 0 : static_cast<double>(good) / static_cast<double>(all);
}

size_t UnwindTable::memory_bytes() const {
  return starts_.capacity() * sizeof(starts_[0]) + rule_of_.capacity() * sizeof(rule_of_[0]) +
         rules_.capacity() * sizeof(rules_[0]) + first_row_.capacity() * sizeof(first_row_[0]);
}

}  // namespace atys::unwind
