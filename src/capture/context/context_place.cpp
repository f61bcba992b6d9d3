// SPDX-License-Identifier: Apache-2.0
#include "capture/context/context_place.h"

#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <vector>

#include "capture/target/process_files.h"
#include "linux/process.h"
#include "symbolize/elf_sections.h"
#include "symbolize/symbol_search.h"
#include "unwind/code_bias.h"

namespace atys::capture {

namespace {

using symbolize::ElfFile;

constexpr std::string_view kVariable = "otel_thread_ctx_v1";
constexpr size_t kMostFiles = 512;
constexpr int64_t kFarthest = int64_t{1} << 24;  // from the thread pointer: blocks of programs are small
constexpr uint64_t kMostModules = 4096;

constexpr size_t kNoSymbol = SIZE_MAX;

struct Variable {
  uint64_t offset = 0;        // in the block of its file
  size_t symbol = kNoSymbol;  // number in .dynsym
};

enum class Way { None, Descriptor, Module, ThreadPointer };

Way way_of(uint16_t machine, uint32_t type) {
  const bool is_arm = machine == EM_AARCH64;
  if (type == (is_arm ? R_AARCH64_TLSDESC : R_X86_64_TLSDESC)) return Way::Descriptor;
  if (type == (is_arm ? R_AARCH64_TLS_DTPMOD : R_X86_64_DTPMOD64)) return Way::Module;
  if (type == (is_arm ? R_AARCH64_TLS_TPREL : R_X86_64_TPOFF64)) return Way::ThreadPointer;
  return Way::None;
}

std::optional<Variable> find_variable(const ElfFile& file) {
  // Static programs should have it in .dynsym too, but linkers do not always put it there.
  for (const auto& symbol : symbolize::find_symbols(file, {kVariable}, symbolize::Tables::All))
    if (symbol.type == STT_TLS && symbol.is_defined)
      return Variable{symbol.address, symbol.is_dynamic ? symbol.index : kNoSymbol};
  return {};
}

// The slots that the loader fills so that code finds the variable. `use(way, address)`, in the file's own addresses.
template <typename Use>
void for_each_slot(const ElfFile& file, const Variable& variable, const Use& use) {
  symbolize::for_each_section(file, [&](std::string_view, Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_RELA || header.sh_entsize == 0 || header.sh_size > ElfFile::kLargestSection) return;
    Elf_Data* data = elf_getdata(section, nullptr);
    for (size_t i = 0; data != nullptr && i < data->d_size / header.sh_entsize; ++i) {
      GElf_Rela entry;
      if (gelf_getrela(data, static_cast<int>(i), &entry) == nullptr) continue;
      const Way way = way_of(file.machine(), static_cast<uint32_t>(GELF_R_TYPE(entry.r_info)));
      const size_t symbol = GELF_R_SYM(entry.r_info);
      // A variable that cannot be replaced by another file's is known by where it is, not by its symbol.
      const bool is_ours =
          symbol == variable.symbol || (symbol == 0 && static_cast<uint64_t>(entry.r_addend) == variable.offset);
      if (way != Way::None && is_ours) use(way, entry.r_offset);
    }
  });
}

std::optional<atys_context_place> at_thread_pointer(int64_t offset) {
  if (std::abs(offset) > kFarthest) return {};
  return atys_context_place{.kind = ATYS_AT_THREAD_POINTER, .offset = offset};
}

std::optional<atys_context_place> by_module(uint64_t module, uint64_t offset) {
  if (module == 0 || module > kMostModules || offset > static_cast<uint64_t>(kFarthest)) return {};
  return atys_context_place{
      .kind = ATYS_BY_MODULE, .module = static_cast<int32_t>(module), .offset = static_cast<int64_t>(offset)};
}

// What a descriptor's second word is: the distance from the thread pointer, or where module and offset are written.
std::optional<atys_context_place> from_descriptor(uint64_t slot, const Variable& variable, linux::MemoryReader& memory) {
  const auto words = memory.value_at<std::array<uint64_t, 2>>(slot);
  if (!words || (*words)[0] == 0) return {};
  if (auto place = at_thread_pointer(static_cast<int64_t>((*words)[1]))) return place;
  const auto index = memory.value_at<std::array<uint64_t, 2>>((*words)[1]);
  if (!index || (*index)[1] != variable.offset) return {};
  return by_module((*index)[0], variable.offset);
}

std::optional<atys_context_place> from_slot(Way way, uint64_t slot, const Variable& variable, linux::MemoryReader& memory) {
  if (way == Way::Descriptor) return from_descriptor(slot, variable, memory);
  const auto word = memory.value_at<uint64_t>(slot);
  if (!word || *word == 0) return {};
  return way == Way::Module ? by_module(*word, variable.offset) : at_thread_pointer(static_cast<int64_t>(*word));
}

// The program's own block is beside the thread pointer: below it on x86_64, above two words on aarch64.
std::optional<atys_context_place> in_program(const ElfFile& file, const Variable& variable) {
  size_t count = 0;
  if (elf_getphdrnum(file.handle(), &count) != 0) return {};
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(file.handle(), static_cast<int>(i), &header) == nullptr || header.p_type != PT_TLS) continue;
    const uint64_t align = std::max<uint64_t>(header.p_align, 1);
    if (align > static_cast<uint64_t>(kFarthest) || header.p_memsz > static_cast<uint64_t>(kFarthest)) return {};
    const auto up = [&](uint64_t size) { return (size + align - 1) / align * align; };
    const auto offset = static_cast<int64_t>(variable.offset);
    return at_thread_pointer(file.machine() == EM_AARCH64 ? static_cast<int64_t>(up(16)) + offset
                                                          : offset - static_cast<int64_t>(up(header.p_memsz)));
  }
  return {};
}

// Offsets in the runtime's structures, the same on both machines. Before 1.24 labels are kept in a map.
struct GoLayout {
  std::string_view release;
  uint32_t m, curg, labels;
};
constexpr std::array<GoLayout, 3> kGoLayouts = {{{"1.24", 48, 192, 352}, {"1.25", 48, 184, 344}, {"1.26", 48, 184, 352}}};
constexpr int64_t kGoVariable = -8;  // x86_64: from the thread pointer; aarch64 has a register for it

}  // namespace

std::optional<atys_context_place> context_variable_of(const ElfFile& file, uint64_t bias, bool is_program,
                                                      linux::MemoryReader& memory) {
  const auto variable = find_variable(file);
  if (!variable) return {};
  std::optional<atys_context_place> place;
  for_each_slot(file, *variable, [&](Way way, uint64_t address) {
    if (!place) place = from_slot(way, bias + address, *variable, memory);
  });
  return !place && is_program ? in_program(file, *variable) : place;
}

std::optional<atys_context_place> find_context_variable(pid_t pid, std::span<const linux::MappedRange> ranges,
                                                        linux::MemoryReader& memory) {
  const auto process = linux::read_process(pid);
  std::set<std::string_view> seen;
  for (const linux::MappedRange& range : ranges) {
    if (!range.is_executable || range.path.empty() || range.path.front() != '/' || !seen.insert(range.path).second) continue;
    if (seen.size() > kMostFiles) return {};
    auto file = open_mapped_file(pid, range);
    if (!file.ok()) continue;
    const auto bias = unwind::code_bias(*file, range.start, range.file_offset);
    if (!bias) continue;
    const bool is_program = process.ok() && process->executable == range.path;
    if (auto place = context_variable_of(*file, *bias, is_program, memory)) return place;
  }
  return {};
}

std::optional<atys_context_place> go_labels_of(std::string_view version) {
  for (const GoLayout& layout : kGoLayouts)
    if (version == layout.release || (version.starts_with(layout.release) && version[layout.release.size()] == '.'))
      return atys_context_place{.kind = ATYS_GO_LABELS,
                                .offset = kGoVariable,
                                .go_m = layout.m,
                                .go_curg = layout.curg,
                                .go_labels = layout.labels};
  return {};
}

}  // namespace atys::capture
