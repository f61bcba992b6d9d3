// SPDX-License-Identifier: Apache-2.0
#include "symbolize/symbol_table.h"

#include <algorithm>
#include <cstring>

namespace atys::symbolize {

namespace {

// A function may hold others (assembler labels with sizes); so many are looked through for one that reaches far enough.
constexpr int kMostNested = 32;
constexpr size_t kLongestName = (size_t{64} << 10) + 1;

struct FlatHeader {
  uint32_t version = 2;
  uint32_t entries = 0;
  uint64_t name_bytes = 0;
};

}  // namespace

Symbol SymbolTable::symbol(const Entry& entry) const {
  const std::string_view name(names_.data() + (entry.name & kNameOffset));
  Symbol symbol{name, entry.address, entry.size, {}, (entry.name & kGuessedSize) != 0};
  if ((entry.name & kHasFile) != 0) symbol.file = std::string_view(name.data() + name.size() + 1);
  return symbol;
}

std::optional<Symbol> SymbolTable::find(uint64_t address) const {
  auto found = std::upper_bound(entries_.begin(), entries_.end(), address,
                                [](uint64_t wanted, const Entry& entry) { return wanted < entry.address; });
  for (int i = 0; i < kMostNested && found != entries_.begin(); ++i) {
    --found;
    if (address - found->address < found->size) return symbol(*found);
  }
  return {};
}

uint64_t SymbolTable::same_until(uint64_t address) const {
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), address,
                                     [](uint64_t wanted, const Entry& entry) { return wanted < entry.address; });
  const uint64_t begin_of_next = next == entries_.end() ? UINT64_MAX : next->address;
  const auto symbol = find(address);
  return symbol ? std::min(begin_of_next, symbol->address + symbol->size) : begin_of_next;
}

Bytes SymbolTable::flat() const {
  const FlatHeader header{.entries = static_cast<uint32_t>(entries_.size()), .name_bytes = names_.size()};
  const size_t entry_bytes = entries_.size() * sizeof(Entry);
  Bytes bytes(sizeof header + entry_bytes + names_.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  if (entry_bytes > 0) std::memcpy(bytes.data() + sizeof header, entries_.data(), entry_bytes);
  if (!names_.empty()) std::memcpy(bytes.data() + sizeof header + entry_bytes, names_.data(), names_.size());
  return bytes;
}

std::optional<SymbolTable> SymbolTable::parse(std::span<const std::byte> flat) {
  FlatHeader header;
  if (flat.size() < sizeof header) return {};
  std::memcpy(&header, flat.data(), sizeof header);
  const size_t entry_bytes = size_t{header.entries} * sizeof(Entry);
  const size_t body = flat.size() - sizeof header;
  if (header.version != FlatHeader{}.version || entry_bytes > body || header.name_bytes != body - entry_bytes) return {};
  SymbolTable table;
  table.entries_.resize(header.entries);
  if (entry_bytes > 0) std::memcpy(table.entries_.data(), flat.data() + sizeof header, entry_bytes);
  table.names_.assign(reinterpret_cast<const char*>(flat.data()) + sizeof header + entry_bytes, header.name_bytes);
  if (header.entries > 0 && (table.names_.empty() || table.names_.back() != '\0')) return {};
  for (size_t i = 0; i < table.entries_.size(); ++i) {
    const size_t name = table.entries_[i].name & kNameOffset;
    if (name >= table.names_.size()) return {};
    if (i > 0 && table.entries_[i - 1].address >= table.entries_[i].address) return {};
    if ((table.entries_[i].name & kHasFile) == 0) continue;
    // The last byte is a zero: what does not end there has a text after it.
    const size_t length = ::strnlen(table.names_.data() + name, kLongestName);
    if (length == kLongestName || name + length + 1 == table.names_.size()) return {};
  }
  table.is_whole_ = true;
  return table;
}

}  // namespace atys::symbolize
