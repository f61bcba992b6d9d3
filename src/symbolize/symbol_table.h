// SPDX-License-Identifier: Apache-2.0
// The function symbols of one ELF file, sorted and compact: 16 bytes and the name for each. Answers which function a file
// address is in. Has a flat byte form for the disk cache, which is checked as strictly as any foreign bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "symbolize/elf_file.h"

namespace atys::symbolize {

// `name` lives as long as the table that it is from.
struct Symbol {
  std::string_view name;  // raw, as the linker knows it
  uint64_t address = 0;
  uint64_t size = 0;
  std::string_view file = {};    // the source, of a function that shares its name with one of another file
  bool is_size_guessed = false;  // it reaches as far as the next symbol
};

class SymbolTable {
 public:
  SymbolTable() = default;
  // From .symtab, or .dynsym with .gnu_debugdata where that is stripped, and the PLT. `debug` may be a separate debug file
  // of the same binary, or null. What cannot be read is left out.
  static SymbolTable build(const ElfFile& file, const ElfFile* debug = nullptr);
  // Whether the file has no .symtab of its own.
  static bool is_stripped(const ElfFile& file);
  static std::optional<SymbolTable> parse(std::span<const std::byte> flat);
  Bytes flat() const;

  // The innermost function that the address lies in.
  std::optional<Symbol> find(uint64_t address) const;
  // find() says the same of every address from this one up to the one returned.
  uint64_t same_until(uint64_t address) const;
  bool is_whole() const { return is_whole_; }  // made from a .symtab, not from what stripping left
  size_t size() const { return entries_.size(); }
  size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry) + names_.capacity(); }

 private:
  friend class SymbolTableBuilder;
  struct Entry {
    uint64_t address = 0;
    uint32_t size = 0;
    uint32_t name = 0;  // offset of a name that ends with a zero byte; and flags
  };
  static constexpr uint32_t kHasFile = uint32_t{1} << 31;  // after the name comes the source file
  static constexpr uint32_t kGuessedSize = uint32_t{1} << 30;
  static constexpr uint32_t kNameOffset = kGuessedSize - 1;
  Symbol symbol(const Entry& entry) const;

  std::vector<Entry> entries_;  // by address, one for each address
  std::string names_;
  bool is_whole_ = false;
};

}  // namespace atys::symbolize
