// SPDX-License-Identifier: Apache-2.0
#include "symbolize/symbol_search.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "base/breather.h"
#include "symbolize/elf_sections.h"
#include "symbolize/jail.h"
#include "symbolize/jail_questions.h"

namespace atys::symbolize {

namespace {

constexpr uint64_t kReadHere = uint64_t{4} << 20;  // of symbols and of their names
constexpr size_t kBlock = size_t{64} << 10;
constexpr size_t kMostFound = 4096;
constexpr size_t kLongestName = 4096;
constexpr size_t kLeastOfSymbol = 32;

struct Table {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t names_offset = 0;
  uint64_t names_bytes = 0;
  bool is_dynamic = false;
};

std::vector<Table> tables_of(const ElfFile& file, Tables which) {
  std::vector<Table> found;
  for_each_section(file, [&](std::string_view, Elf_Scn*, const GElf_Shdr& header) {
    const bool is_dynamic = header.sh_type == SHT_DYNSYM;
    if (!is_dynamic && (header.sh_type != SHT_SYMTAB || which == Tables::Dynamic)) return;
    GElf_Shdr names;
    Elf_Scn* linked = elf_getscn(file.handle(), header.sh_link);
    if (linked == nullptr || gelf_getshdr(linked, &names) == nullptr || names.sh_type != SHT_STRTAB) return;
    const uint64_t size = file.file_size();
    if (header.sh_offset > size || header.sh_size > size - header.sh_offset) return;
    if (names.sh_offset > size || names.sh_size > size - names.sh_offset) return;
    if (found.size() < 4) found.push_back({header.sh_offset, header.sh_size, names.sh_offset, names.sh_size, is_dynamic});
  });
  return found;
}

using Wanted = std::unordered_set<std::string_view>;

template <typename Entry>
void search(const ElfFile& file, const Table& table, const Wanted& wanted, std::vector<FoundSymbol>& found) {
  Bytes names(table.names_bytes);
  if (!file.read_at(table.names_offset, names)) return;
  const auto* text = reinterpret_cast<const char*>(names.data());
  std::vector<Entry> block(kBlock / sizeof(Entry));
  const uint64_t count = table.bytes / sizeof(Entry);
  for (uint64_t at = 0; at < count; at += block.size()) {
    breathe();
    const std::span part = std::span(block).first(std::min<uint64_t>(block.size(), count - at));
    if (!file.read_at(table.offset + at * sizeof(Entry), std::as_writable_bytes(part))) return;
    for (size_t i = 0; i < part.size(); ++i) {
      const Entry& entry = part[i];
      if (entry.st_name == 0 || entry.st_name >= names.size()) continue;
      const size_t length = ::strnlen(text + entry.st_name, std::min(kLongestName, names.size() - entry.st_name));
      const auto name = wanted.find(std::string_view(text + entry.st_name, length));
      if (name == wanted.end() || found.size() >= kMostFound) continue;
      found.push_back({std::string(*name), entry.st_value, entry.st_size, at + i,
                       static_cast<uint8_t>(ELF64_ST_TYPE(entry.st_info)), entry.st_shndx != SHN_UNDEF, table.is_dynamic});
    }
  }
}

std::vector<FoundSymbol> search_here(const ElfFile& file, const std::vector<Table>& tables,
                                     const std::vector<std::string_view>& names) {
  const Wanted wanted(names.begin(), names.end());
  std::vector<FoundSymbol> found;
  for (const Table& table : tables) {
    if (gelf_getclass(file.handle()) == ELFCLASS64)
      search<Elf64_Sym>(file, table, wanted, found);
    else
      search<Elf32_Sym>(file, table, wanted, found);
  }
  return found;
}

// A file that is asked about once.
class OneFile final : public JailSubject {
 public:
  explicit OneFile(const ElfFile& file) : file_(file) {}
  UniqueFd file() override { return UniqueFd(::fcntl(file_.fd(), F_DUPFD_CLOEXEC, 0)); }
  Bytes description() override {
    JailPacker packer;
    packer.text(file_.name()).number(uint8_t{0}).number(uint8_t{0}).number(uint64_t{0}).number(uint64_t{0});
    return packer.take();
  }

 private:
  const ElfFile& file_;
};

std::vector<FoundSymbol> decode(std::span<const std::byte> bytes) {
  std::vector<FoundSymbol> found;
  Cursor cursor(bytes);
  while (!cursor.at_end() && cursor.left() >= kLeastOfSymbol && found.size() < kMostFound) {
    FoundSymbol symbol{.name = take_text(cursor)};
    symbol.address = cursor.fixed<uint64_t>();
    symbol.size = cursor.fixed<uint64_t>();
    symbol.index = cursor.fixed<uint64_t>();
    symbol.type = cursor.fixed<uint8_t>();
    const auto flags = cursor.fixed<uint8_t>();
    symbol.is_defined = (flags & 1) != 0;
    symbol.is_dynamic = (flags & 2) != 0;
    if (cursor.ok()) found.push_back(std::move(symbol));
  }
  return found;
}

}  // namespace

std::vector<FoundSymbol> find_symbols(const ElfFile& file, const std::vector<std::string_view>& names, Tables which) {
  const std::vector<Table> tables = tables_of(file, which);
  uint64_t bytes = 0;
  for (const Table& table : tables) bytes = std::max({bytes, table.bytes, table.names_bytes});
  Jail* const jail = file.fd() >= 0 && bytes > kReadHere ? Jail::get() : nullptr;
  if (jail == nullptr) return search_here(file, tables, names);
  JailPacker packer;
  packer.number(static_cast<uint8_t>(which)).number(static_cast<uint32_t>(names.size()));
  for (const std::string_view name : names) packer.text(name);
  OneFile subject(file);
  const uint64_t number = Jail::next_number();
  const auto answer = jail->ask(number, subject, kSymbolsQuestion, packer.take());
  jail->forget(number);
  if (!answer) return search_here(file, tables, names);
  return answer->ok() ? decode(**answer) : std::vector<FoundSymbol>();
}

Result<Bytes> answer_symbols(const ElfFile& file, Cursor& details) {
  const auto which = details.fixed<uint8_t>() == static_cast<uint8_t>(Tables::All) ? Tables::All : Tables::Dynamic;
  const auto count = details.fixed<uint32_t>();
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < count && details.ok(); ++i) texts.push_back(take_text(details));
  if (!details.ok()) return fail(ErrorCode::InvalidInput, "not a question");
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  JailPacker packer;
  for (const FoundSymbol& symbol : search_here(file, tables_of(file, which), names))
    packer.text(symbol.name)
        .number(symbol.address)
        .number(symbol.size)
        .number(symbol.index)
        .number(symbol.type)
        .number(static_cast<uint8_t>((symbol.is_defined ? 1 : 0) | (symbol.is_dynamic ? 2 : 0)));
  return packer.take();
}

}  // namespace atys::symbolize
