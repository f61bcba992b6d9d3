// SPDX-License-Identifier: Apache-2.0
#include "symbolize/symbol_table_builder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/breather.h"
#include "symbolize/demangle.h"
#include "symbolize/mini_debug.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostSymbols = size_t{16} << 20;
constexpr size_t kLongestName = size_t{64} << 10;
constexpr size_t kMostNameBytes = size_t{1} << 29;  // with files, below what offsets can say
constexpr size_t kMostSections = size_t{1} << 20;
// How far a function without a size reaches when nothing follows it.
constexpr uint64_t kLongestUnsized = 4096;
constexpr uint32_t kRankOfLabel = 100;

// A symbol that marks where data begins within code (aarch64, arm, riscv), or an assembler's own label.
bool is_marker(std::string_view name) {
  if (name.starts_with(".L")) return true;
  return name.size() >= 2 && name[0] == '$' && std::strchr("xdat", name[1]) != nullptr &&
         (name.size() == 2 || name[2] == '.');
}

// The name in a symbol that says which source file those after it are of. Compilers that join sources, or split them, write
// something else there.
std::string_view source_file(const char* name) {
  static constexpr std::array<std::string_view, 14> kEndings = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C",   ".cp",
                                                                ".m", ".mm", ".s",   ".S",   ".f",   ".f90", ".d"};
  const std::string_view text = name == nullptr ? std::string_view() : std::string_view(name, ::strnlen(name, kLongestName));
  const bool is_source = std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) { return text.ends_with(ending); });
  return is_source ? text : std::string_view();
}

uint32_t rank_of(const GElf_Sym& symbol, std::string_view name) {
  uint32_t rank = 0;
  if (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE) rank += kRankOfLabel;
  const auto binding = GELF_ST_BIND(symbol.st_info);
  if (binding == STB_WEAK) rank += 4;
  if (binding == STB_LOCAL) rank += 8;
  if (name.find('.', 1) != std::string_view::npos || name.find('@') != std::string_view::npos) rank += 2;
  if (name.starts_with("__")) rank += 1;
  return rank;
}

Elf_Scn* section_of_type(const ElfFile& file, uint32_t type, GElf_Shdr& header) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(file.handle(), section)) != nullptr)
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type) return section;
  return nullptr;
}

Elf_Scn* section_named(const ElfFile& file, std::string_view name, GElf_Shdr& header) {
  size_t names = 0;
  if (elf_getshdrstrndx(file.handle(), &names) != 0) return nullptr;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(file.handle(), section)) != nullptr) {
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* found = elf_strptr(file.handle(), names, header.sh_name);
    if (found != nullptr && name == found) return section;
  }
  return nullptr;
}

struct PltShape {
  uint64_t first = 0;
  uint64_t entry_bytes = 0;
};

// Where the stubs are that follow the order of .rela.plt.
PltShape plt_shape(const ElfFile& file, uint64_t count) {
  GElf_Shdr header;
  if (section_named(file, ".plt.sec", header) != nullptr) return {header.sh_addr, header.sh_size / count};
  if (section_named(file, ".plt", header) == nullptr) return {};
  uint64_t head = 0;
  if (file.machine() == EM_X86_64 || file.machine() == EM_386) head = 16;
  if (file.machine() == EM_AARCH64) head = 32;
  if (head == 0 || header.sh_size <= head) return {};
  return {header.sh_addr + head, (header.sh_size - head) / count};
}

}  // namespace

bool SymbolTableBuilder::add_name(std::string_view name, uint32_t& offset) {
  if (names_.size() + name.size() + 1 > kMostNameBytes) return false;
  offset = static_cast<uint32_t>(names_.size());
  names_.append(name);
  names_.push_back('\0');
  return true;
}

void SymbolTableBuilder::add_symbol(const ElfFile& file, const GElf_Sym& symbol, const char* name) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  if (type == STT_FILE) {
    file_ = 0;
    if (const std::string_view source = source_file(name); !source.empty() && !add_name(source, file_)) file_ = 0;
    return;
  }
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || name == nullptr || name[0] == '\0') return;
  const std::string_view text(name, ::strnlen(name, kLongestName));
  if (is_marker(text)) return;
  const SectionEnd* section = symbol.st_shndx < sections_.size() ? &sections_[symbol.st_shndx] : nullptr;
  // Labels that are not functions by type count only where the code is.
  if (type == STT_NOTYPE && (section == nullptr || !section->is_code)) return;
  Candidate candidate{symbol.st_value, symbol.st_size, section != nullptr ? section->end : 0, 0, rank_of(symbol, text)};
  if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) candidate.file = file_;
  if (file.machine() == EM_ARM) candidate.address &= ~uint64_t{1};  // the lowest bit says Thumb
  if (add_name(text, candidate.name)) candidates_.push_back(candidate);
}

size_t SymbolTableBuilder::add_table(const ElfFile& file, uint32_t section_type) {
  sections_.assign(1, {});
  GElf_Shdr header;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.handle(), section)) != nullptr;) {
    if (gelf_getshdr(section, &header) == nullptr || sections_.size() >= kMostSections) break;
    sections_.push_back({header.sh_addr + header.sh_size, (header.sh_flags & SHF_EXECINSTR) != 0});
  }
  Elf_Scn* section = section_of_type(file, section_type, header);
  if (section == nullptr || header.sh_entsize == 0) return 0;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) return 0;
  const size_t count = std::min<size_t>(data->d_size / header.sh_entsize, kMostSymbols);
  const size_t before = candidates_.size();
  file_ = 0;
  BreathingLoop breaths;
  for (size_t i = 1; i < count; ++i) {
    breaths.next();
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    add_symbol(file, symbol, elf_strptr(file.handle(), header.sh_link, symbol.st_name));
  }
  return candidates_.size() - before;
}

void SymbolTableBuilder::add_plt(const ElfFile& file) {
  GElf_Shdr relocations;
  Elf_Scn* section = section_named(file, ".rela.plt", relocations);
  if (section == nullptr || relocations.sh_entsize == 0) return;
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Shdr symbols;
  Elf_Scn* symbol_section = elf_getscn(file.handle(), relocations.sh_link);
  if (data == nullptr || symbol_section == nullptr || gelf_getshdr(symbol_section, &symbols) == nullptr) return;
  Elf_Data* symbol_data = elf_getdata(symbol_section, nullptr);
  const size_t count = std::min<size_t>(data->d_size / relocations.sh_entsize, kMostSymbols);
  if (symbol_data == nullptr || count == 0) return;
  const PltShape shape = plt_shape(file, count);
  if (shape.entry_bytes < 8 || shape.entry_bytes > 32) return;
  for (size_t i = 0; i < count; ++i) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) return;
    if (gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) == nullptr) continue;
    const char* name = elf_strptr(file.handle(), symbols.sh_link, symbol.st_name);
    if (name == nullptr || name[0] == '\0') continue;
    Candidate candidate{shape.first + i * shape.entry_bytes, shape.entry_bytes, 0, 0, 1};
    const std::string text = std::string(name, ::strnlen(name, kLongestName)) + "@plt";
    if (add_name(text, candidate.name)) candidates_.push_back(candidate);
  }
}

// Of several names for one address the best is kept, with the longest extent that any of them claims.
void SymbolTableBuilder::drop_aliases() {
  std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.address != b.address ? a.address < b.address : a.rank < b.rank;
  });
  size_t kept = 0;
  for (const Candidate& candidate : candidates_) {
    if (kept > 0 && candidates_[kept - 1].address == candidate.address) {
      if (candidates_[kept - 1].size == 0) candidates_[kept - 1].size = candidate.size;
      continue;
    }
    candidates_[kept++] = candidate;
  }
  candidates_.resize(kept);
}

// A label inside a function that has a size is a place in that function, not a function.
void SymbolTableBuilder::drop_labels() {
  uint64_t covered = 0;
  std::erase_if(candidates_, [&covered](const Candidate& candidate) {
    if (candidate.size == 0 && candidate.address < covered) return true;
    if (candidate.size <= std::numeric_limits<uint64_t>::max() - candidate.address)
      covered = std::max(covered, candidate.address + candidate.size);
    return false;
  });
}

void SymbolTableBuilder::find_ends() {
  for (size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    if (candidate.size > 0) continue;
    uint64_t end = candidate.limit > candidate.address ? candidate.limit : candidate.address + kLongestUnsized;
    if (i + 1 < candidates_.size()) end = std::min(end, candidates_[i + 1].address);
    candidate.size = end - candidate.address;
    candidate.is_size_guessed = true;
  }
}

// Only names tell functions apart. Where two files have one under the same name, of which others see one at most, their
// files do. Parts and copies go with the function that they are of.
void SymbolTableBuilder::forget_files_of_lone_names() {
  struct Holders {
    std::string_view file;
    bool is_in_several = false;
    bool is_global = false;
  };
  std::unordered_map<std::string_view, Holders> holders;  // by name
  const auto text = [this](uint32_t offset) { return std::string_view(names_.data() + offset); };
  for (const Candidate& candidate : candidates_) {
    if (candidate.file == 0) continue;
    const std::string_view file = text(candidate.file);
    Holders& known = holders.try_emplace(without_clone_suffix(text(candidate.name)), Holders{file}).first->second;
    known.is_in_several = known.is_in_several || known.file != file;
  }
  for (const Candidate& candidate : candidates_)
    if (candidate.file == 0 && !holders.empty())
      if (const auto known = holders.find(text(candidate.name)); known != holders.end()) known->second.is_global = true;
  std::set<std::pair<std::string_view, std::string_view>> kept;  // name and file
  for (const bool wants_copies : {false, true})
    for (Candidate& candidate : candidates_) {
      const std::string_view name = text(candidate.name);
      const std::string_view function = without_clone_suffix(name);
      if (candidate.file == 0 || (name != function) != wants_copies) continue;
      const Holders& known = holders.at(function);
      const bool is_kept = wants_copies
                               ? kept.contains({function, text(candidate.file)}) || (known.is_in_several && !known.is_global)
                               : known.is_in_several || known.is_global;
      if (!is_kept) candidate.file = 0;
      if (is_kept && !wants_copies) kept.emplace(function, text(candidate.file));
    }
}

SymbolTable SymbolTableBuilder::build() {
  breathe();
  drop_aliases();
  breathe();
  drop_labels();
  find_ends();
  breathe();
  forget_files_of_lone_names();
  breathe();
  SymbolTable table;
  table.entries_.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) {
    const std::string_view name(names_.data() + candidate.name);
    const auto size = static_cast<uint32_t>(std::min<uint64_t>(candidate.size, std::numeric_limits<uint32_t>::max()));
    const uint32_t flags =
        (candidate.file != 0 ? SymbolTable::kHasFile : 0) | (candidate.is_size_guessed ? SymbolTable::kGuessedSize : 0);
    table.entries_.push_back({candidate.address, size, static_cast<uint32_t>(table.names_.size()) | flags});
    table.names_.append(name);
    table.names_.push_back('\0');
    if (candidate.file != 0) table.names_.append(names_.data() + candidate.file).push_back('\0');
  }
  table.names_.shrink_to_fit();
  return table;
}

SymbolTable SymbolTable::build(const ElfFile& file, const ElfFile* debug) {
  SymbolTableBuilder builder;
  size_t count = builder.add_table(file, SHT_SYMTAB);
  if (count == 0 && debug != nullptr) count = builder.add_table(*debug, SHT_SYMTAB);
  const bool is_whole = count > 0;
  if (!is_whole) {
    builder.add_table(file, SHT_DYNSYM);
    if (auto mini = open_mini_debug(file); mini.ok()) builder.add_table(*mini, SHT_SYMTAB);
  }
  builder.add_plt(file);
  SymbolTable table = builder.build();
  table.is_whole_ = is_whole;
  return table;
}

bool SymbolTable::is_stripped(const ElfFile& file) {
  GElf_Shdr header;
  return section_of_type(file, SHT_SYMTAB, header) == nullptr;
}

}  // namespace atys::symbolize
