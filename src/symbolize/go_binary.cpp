// SPDX-License-Identifier: Apache-2.0
#include "symbolize/go_binary.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "symbolize/elf_sections.h"

namespace atys::symbolize {

namespace {

constexpr uint64_t kLargestTable = uint64_t{1} << 30;
constexpr uint64_t kMostScanned = uint64_t{256} << 20;  // of one file: a capture waits for it
constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kModuleWords = 48;
constexpr size_t kMostCandidates = 64;

struct Place {
  uint64_t address = 0;
  uint64_t size = 0;
};

struct Sections {
  std::optional<Place> table;
  std::optional<Place> relocations;
  bool is_go = false;  // also where the table has no section of its own
  bool any = false;
};

Sections find_sections(const ElfFile& file) {
  Sections found;
  for_each_section(file, [&](std::string_view name, Elf_Scn*, const GElf_Shdr& header) {
    if (header.sh_type == SHT_NULL) return;
    found.any = true;
    if (header.sh_type == SHT_NOBITS) return;
    if (name == ".gopclntab" || name == ".data.rel.ro.gopclntab") found.table = Place{header.sh_addr, header.sh_size};
    if (name == ".rela.dyn") found.relocations = Place{header.sh_addr, header.sh_size};
    if (name == ".go.buildinfo" || name == ".note.go.buildid") found.is_go = true;
  });
  return found;
}

template <typename Number>
Number load(std::span<const std::byte> bytes, size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<Bytes> read(const ElfFile& file, const Place& place) {
  if (place.size > std::min(kLargestTable, file.file_size())) return {};
  Bytes bytes(place.size);
  if (!file.read(place.address, bytes)) return {};
  return bytes;
}

// `visit(address, word)` for each aligned word of the segments that are not code, until it says that it is done. The last
// segment comes first: it has the data that change, moduledata among them, and is the smallest.
template <typename Visit>
void for_each_word(const ElfFile& file, const Visit& visit) {
  uint64_t scanned = 0;
  Bytes block;
  const std::vector<ElfFile::Segment>& segments = file.segments();
  for (size_t i = segments.size(); i-- > 0;) {
    const ElfFile::Segment& segment = segments[i];
    if (segment.is_executable) continue;
    const uint64_t size = std::min(segment.file_size, file.file_size());
    for (uint64_t at = (8 - segment.address % 8) % 8; at + 8 <= size && scanned < kMostScanned; at += kBlockBytes) {
      block.resize(std::min<uint64_t>(kBlockBytes, size - at) / 8 * 8);
      if (!file.read(segment.address + at, block)) break;
      scanned += block.size();
      for (size_t word = 0; word < block.size(); word += 8) {
        if (visit(segment.address + at + word, load<uint64_t>(block, word))) return;
      }
    }
  }
}

uint64_t bytes_from(const ElfFile& file, uint64_t address) {
  for (const ElfFile::Segment& segment : file.segments()) {
    if (address >= segment.address && address - segment.address < segment.file_size) {
      return segment.file_size - (address - segment.address);
    }
  }
  return 0;
}

bool is_code(const ElfFile& file, uint64_t address) {
  return std::ranges::any_of(file.segments(), [&](const ElfFile::Segment& segment) {
    return segment.is_executable && address >= segment.address && address - segment.address < segment.memory_size;
  });
}

std::optional<GoTable::Header> header_at(const ElfFile& file, uint64_t address, uint64_t limit) {
  std::array<std::byte, GoTable::kHeaderBytes> bytes{};
  if (!file.read(address, bytes)) return {};
  return GoTable::parse_header(bytes, limit);
}

// Where sections do not say: the first thing that looks like a table.
std::optional<Place> scan_for_table(const ElfFile& file) {
  std::optional<Place> found;
  for_each_word(file, [&](uint64_t address, uint64_t word) {
    // Three of four bytes of the magic number, two zeros, and the size of a pointer are the same in all releases.
    if ((word & 0xff00ffffffffff00) != 0x08000000ffffff00) return false;
    const uint64_t limit = std::min(bytes_from(file, address), kLargestTable);
    if (header_at(file, address, limit)) found = Place{address, limit};
    return found.has_value();
  });
  return found;
}

using ModuleWords = std::array<uint64_t, kModuleWords>;

// Words of the moduledata, by their number; the same from Go 1.18 on but for two that Go 1.20 added before the last of them.
constexpr size_t kNamesWord = 1;
constexpr size_t kFirstPcWord = 20;
constexpr size_t kTextWord = 22;
constexpr size_t kFuncdataWord = 38;
constexpr size_t kFuncdataWord120 = 40;

class ModuleDataFinder {
 public:
  // All of them outlive the finder.
  ModuleDataFinder(const ElfFile& file, const Place& table, const GoTable::Header& header, const Bytes& relocations)
      : file_(&file), table_(table), header_(header), relocations_(&relocations) {}

  // Its first word points to the table. Few others do; a file in which many do is not made by a linker.
  std::optional<GoModuleData> find() const {
    std::vector<uint64_t> candidates;
    for_each_relocation([&](uint64_t place, uint64_t value) {
      if (value == table_.address && candidates.size() < kMostCandidates) candidates.push_back(place);
    });
    if (const auto found = first_sound(candidates)) return found;
    candidates.clear();
    for_each_word(*file_, [&](uint64_t address, uint64_t word) {
      if (word == table_.address) candidates.push_back(address);
      return candidates.size() >= kMostCandidates;
    });
    return first_sound(candidates);
  }

 private:
  // Of programs that may be moved: what the loader writes where, before it moves it.
  template <typename Use>
  void for_each_relocation(const Use& use) const {
    const uint64_t relative = file_->machine() == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= relocations_->size(); at += sizeof(Elf64_Rela)) {
      const auto entry = load<Elf64_Rela>(*relocations_, at);
      if (ELF64_R_TYPE(entry.r_info) == relative) use(entry.r_offset, static_cast<uint64_t>(entry.r_addend));
    }
  }

  std::optional<GoModuleData> first_sound(const std::vector<uint64_t>& candidates) const {
    for (const uint64_t candidate : candidates) {
      if (const auto found = checked(candidate)) return found;
    }
    return {};
  }

  std::optional<GoModuleData> checked(uint64_t address) const {
    ModuleWords words{};
    if (!file_->read(address, std::as_writable_bytes(std::span(words)))) return {};
    for_each_relocation([&](uint64_t place, uint64_t value) {
      if (place >= address && (place - address) / 8 < kModuleWords && (place - address) % 8 == 0) {
        words[(place - address) / 8] = value;
      }
    });
    const GoModuleData made{words[kTextWord],
                            words[header_.layout == GoTable::Layout::Go120 ? kFuncdataWord120 : kFuncdataWord]};
    const bool is_sound = words[kNamesWord] == table_.address + header_.names && is_code(*file_, made.text) &&
                          is_code(*file_, words[kFirstPcWord]) && bytes_from(*file_, made.funcdata) > 0;
    return is_sound ? std::optional(made) : std::nullopt;
  }

  const ElfFile* file_;
  Place table_;
  GoTable::Header header_;
  const Bytes* relocations_;
};

}  // namespace

std::optional<GoTable> read_go_table(const ElfFile& file) {
  const Sections sections = find_sections(file);
  std::optional<Place> place = sections.table;
  if (!place && (sections.is_go || !sections.any)) place = scan_for_table(file);
  if (!place) return {};
  const auto header = header_at(file, place->address, place->size);
  if (!header) return {};
  GoModuleData module;
  if (header->layout != GoTable::Layout::Go116) {
    const Bytes relocations = sections.relocations ? read(file, *sections.relocations).value_or(Bytes{}) : Bytes{};
    if (const auto found = ModuleDataFinder(file, *place, *header, relocations).find()) module = *found;
  }
  auto bytes = read(file, *place);
  if (!bytes) return {};
  return GoTable::parse(std::move(*bytes), module);
}

std::optional<GoBinary> GoBinary::open(std::shared_ptr<const ElfFile> file) {
  auto table = read_go_table(*file);
  if (!table) return {};
  return GoBinary(std::move(file), std::move(*table));
}

std::vector<GoFrame> GoBinary::frames_at(uint64_t address) const {
  return table_.frames_at(
      address, [this](uint64_t from, std::span<std::byte> into) { return file_ != nullptr && file_->read(from, into); });
}

}  // namespace atys::symbolize
