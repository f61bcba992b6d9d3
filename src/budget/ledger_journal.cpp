// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace atys::budget {

namespace {

constexpr std::pair<RecordKind, std::string_view> kKinds[] = {{RecordKind::New, "new"},
                                                              {RecordKind::Reserve, "reserve"},
                                                              {RecordKind::Settle, "settle"},
                                                              {RecordKind::Lapse, "lapse"},
                                                              {RecordKind::Close, "close"}};
constexpr size_t kSumDigits = 16;
constexpr size_t kLongestCall = 32;
constexpr std::string_view kOfCall = "call_";
constexpr std::string_view kOverrun = "over_";

bool is_call_name(std::string_view text) {
  return text.size() <= kLongestCall &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '-'; });
}

// Nothing is said of what is `absent`.
void append_charge(std::string& text, std::string_view prefix, const Charge& charge, uint64_t absent) {
  for (const Resource& resource : kResources)
    if (charge.*resource.amount != absent) text += fmt::format(" {}{}={}", prefix, resource.key, charge.*resource.amount);
}

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_amount(std::string_view key, std::string_view prefix, std::string_view text, Charge& charge) {
  if (!key.starts_with(prefix)) return false;
  for (const Resource& resource : kResources)
    if (key.substr(prefix.size()) == resource.key) return parse_number(text, charge.*resource.amount);
  return false;
}

bool parse_field(std::string_view key, std::string_view text, LedgerRecord& record) {
  if (key == "time") return parse_number(text, record.time_ns);
  if (key == "number") return parse_number(text, record.number);
  if (key == "pid") return parse_number(text, record.pid);
  if (key == "call") {
    record.call = text;
    return is_call_name(text);
  }
  if (parse_amount(key, kOverrun, text, record.overrun)) return true;
  if (record.kind != RecordKind::New) return parse_amount(key, "", text, record.charge);
  return parse_amount(key, kOfCall, text, record.budget.per_call) || parse_amount(key, "", text, record.budget.in_all);
}

std::string_view take_word(std::string_view& text) {
  const size_t space = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(std::min(space + 1, text.size()));
  return word;
}

std::optional<LedgerRecord> parse_record(std::string_view text) {
  const std::string_view word = take_word(text);
  const auto* kind = std::ranges::find(kKinds, word, [](const auto& known) { return known.second; });
  if (kind == std::end(kKinds)) return std::nullopt;
  LedgerRecord record{.kind = kind->first};
  while (!text.empty()) {
    const std::string_view field = take_word(text);
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos || !parse_field(field.substr(0, equals), field.substr(equals + 1), record))
      return std::nullopt;
  }
  return record;
}

std::string text_of(const LedgerRecord& record) {
  std::string text(std::ranges::find(kKinds, record.kind, [](const auto& known) { return known.first; })->second);
  text += fmt::format(" time={}", record.time_ns);
  if (record.number != 0) text += fmt::format(" number={}", record.number);
  if (record.pid != 0) text += fmt::format(" pid={}", record.pid);
  if (!record.call.empty()) text += " call=" + (is_call_name(record.call) ? record.call : std::string("other"));
  append_charge(text, "", record.charge, 0);
  append_charge(text, kOverrun, record.overrun, 0);
  append_charge(text, "", record.budget.in_all, kUnbounded);
  append_charge(text, kOfCall, record.budget.per_call, kUnbounded);
  return text;
}

uint64_t sum_of(std::string_view text, uint64_t chain) { return XXH3_64bits_withSeed(text.data(), text.size(), chain); }

}  // namespace

std::string LedgerJournal::sealed(std::string_view text, uint64_t chain) {
  return fmt::format("{:016x} {}\n", sum_of(text, chain), text);
}

std::string LedgerJournal::encode(const LedgerRecord& record) const { return sealed(text_of(record), chain_); }

void LedgerJournal::accept(std::string_view line) { (void)parse(line); }

Result<LedgerJournal::Parsed> LedgerJournal::parse(std::string_view bytes) {
  Parsed parsed;
  while (true) {
    const std::string_view rest = bytes.substr(parsed.used);
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return parsed;
    const std::string_view line = rest.substr(0, end);
    const std::string_view text = line.substr(std::min(line.size(), kSumDigits + 1));
    const uint64_t sum = sum_of(text, chain_);
    std::optional<LedgerRecord> record;
    if (line.starts_with(fmt::format("{:016x} ", sum))) record = parse_record(text);
    if (!record && end + 1 == rest.size()) return parsed;
    if (!record) return fail(ErrorCode::InvalidInput, fmt::format("it is damaged at byte {}", parsed.used));
    chain_ = sum;
    parsed.records.push_back(*std::move(record));
    parsed.used += end + 1;
  }
}

}  // namespace atys::budget
