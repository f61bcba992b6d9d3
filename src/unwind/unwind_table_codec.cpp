// SPDX-License-Identifier: Apache-2.0
// UnwindTable as bytes: a header, then its three arrays. Little-endian, as all machines that we run on.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "symbolize/cursor.h"
#include "unwind/unwind_table.h"

namespace atys::unwind {

using symbolize::Cursor;

namespace {

static_assert(std::endian::native == std::endian::little);

// The last digit is the version: it changes with the layout and with the meaning of a rule.
constexpr char kMagic[8] = {'A', 'T', 'Y', 'S', 'U', 'W', 'T', '2'};

struct Header {
  char magic[8];
  uint64_t base;
  uint32_t machine;
  uint32_t rows;
  uint32_t rules;
  uint32_t reserved;
};
static_assert(sizeof(Header) == 32);

template <typename T>
void append(Bytes& out, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  out.insert(out.end(), bytes, bytes + values.size() * sizeof(T));
}

template <typename T>
std::vector<T> read_array(Cursor& cursor, size_t count) {
  const std::span<const std::byte> bytes = cursor.block(count * sizeof(T));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

bool is_sound(const std::byte* rule) {
  return static_cast<uint8_t>(rule[0]) <= static_cast<uint8_t>(Rule::Cfa::Unsupported) &&
         static_cast<uint8_t>(rule[1]) <= static_cast<uint8_t>(Rule::Fp::AtSpPlus) &&
         static_cast<uint8_t>(rule[2]) <= static_cast<uint8_t>(Rule::Ra::InLr);
}

Error fail_table(const char* why) { return fail(ErrorCode::InvalidInput, fmt::format("unwind table: {}", why)); }

}  // namespace

Bytes UnwindTable::serialize() const {
  Header header{.base = base_,
                .machine = static_cast<uint32_t>(machine_),
                .rows = static_cast<uint32_t>(starts_.size()),
                .rules = static_cast<uint32_t>(rules_.size())};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  const auto* bytes = reinterpret_cast<const std::byte*>(&header);
  Bytes out(bytes, bytes + sizeof(header));
  append(out, rules_);
  append(out, starts_);
  append(out, rule_of_);
  return out;
}

Result<UnwindTable> UnwindTable::parse(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  const auto header = cursor.fixed<Header>();
  if (!cursor.ok() || std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    return fail_table("not one, or of another version");
  if (header.machine > static_cast<uint32_t>(Machine::Aarch64)) return fail_table("unknown machine");
  const uint64_t size =
      uint64_t{header.rules} * sizeof(Rule) + uint64_t{header.rows} * (sizeof(uint32_t) + sizeof(uint16_t));
  if (size != cursor.left()) return fail_table("its size is not what it says");
  for (size_t i = 0; i < header.rules; ++i)
    if (!is_sound(bytes.data() + cursor.position() + i * sizeof(Rule))) return fail_table("unknown kind of rule");
  UnwindTable table;
  table.machine_ = static_cast<Machine>(header.machine);
  table.base_ = header.base;
  table.rules_ = read_array<Rule>(cursor, header.rules);
  table.starts_ = read_array<uint32_t>(cursor, header.rows);
  table.rule_of_ = read_array<uint16_t>(cursor, header.rows);
  for (size_t i = 1; i < table.starts_.size(); ++i)
    if (table.starts_[i - 1] >= table.starts_[i]) return fail_table("rows are not in order");
  if (!table.starts_.empty() && table.starts_.front() != 0) return fail_table("the first row is not at its base");
  for (const uint16_t rule : table.rule_of_)
    if (rule >= table.rules_.size()) return fail_table("a row without a rule");
  table.index();
  return table;
}

}  // namespace atys::unwind
