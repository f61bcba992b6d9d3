// SPDX-License-Identifier: Apache-2.0
// UnwindTable::compile(): from an ELF file to rows.
#include <elf.h>
#include <gelf.h>

#include <algorithm>

#include "base/breather.h"
#include "symbolize/frame_section.h"
#include "symbolize/go_binary.h"
#include "unwind/frame_program.h"
#include "unwind/go_frames.h"
#include "unwind/landmarks.h"
#include "unwind/unwind_table.h"

namespace atys::unwind {

using symbolize::FrameEntry;
using symbolize::FrameSection;

namespace {

constexpr size_t kMostRows = size_t{1} << 25;

Result<Machine> machine_of(const symbolize::ElfFile& file) {
  GElf_Ehdr header;
  if (gelf_getehdr(file.handle(), &header) == nullptr) return fail(ErrorCode::InvalidInput, file.name() + ": no ELF header");
  const bool is_known = header.e_machine == EM_X86_64 || header.e_machine == EM_AARCH64;
  if (!is_known || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail(ErrorCode::Unsupported, file.name() + ": not for x86_64 or aarch64");
  return header.e_machine == EM_X86_64 ? Machine::X86_64 : Machine::Aarch64;
}

// The segments that hold code, no more of them than any file needs: each entry is looked up among them.
std::vector<symbolize::ElfFile::Segment> code_segments(const symbolize::ElfFile& file) {
  constexpr size_t kMost = 64;
  std::vector<symbolize::ElfFile::Segment> code;
  for (const auto& segment : file.segments())
    if (segment.is_executable && code.size() < kMost) code.push_back(segment);
  return code;
}

bool is_within(std::span<const symbolize::ElfFile::Segment> code, const FrameEntry& entry) {
  for (const auto& segment : code)
    if (entry.begin >= segment.address && entry.end - segment.address <= segment.memory_size) return true;
  return false;
}

void by_address(std::vector<FrameEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const FrameEntry& a, const FrameEntry& b) { return a.begin < b.begin; });
}

// Rows of one section, with a row without a rule wherever the description ends.
std::vector<Row> rows_of(const symbolize::ElfFile& file, Machine machine, FrameSection section) {
  const std::vector<symbolize::ElfFile::Segment> code = code_segments(file);
  std::erase_if(section.entries, [&](const FrameEntry& entry) { return !is_within(code, entry); });
  by_address(section.entries);
  FramePrograms programs(machine, section);
  std::vector<Row> rows;
  std::vector<Row> of_entry;
  uint64_t covered = 0;
  BreathingLoop breaths;
  for (const FrameEntry& entry : section.entries) {
    breaths.next();
    if (entry.begin < covered || rows.size() > kMostRows) continue;
    if (entry.begin == covered && !rows.empty()) rows.pop_back();
    of_entry.clear();
    programs.run(entry, of_entry);
    rows.insert(rows.end(), of_entry.begin(), of_entry.end());
    rows.push_back({entry.end, {}});
    covered = entry.end;
  }
  return rows;
}

}  // namespace

Result<UnwindTable> UnwindTable::compile(const symbolize::ElfFile& file) {
  const Machine machine = TRY(machine_of(file));
  std::vector<Row> rows = rows_of(file, machine, symbolize::read_eh_frame(file));
  // Go describes its functions only here; C code that is linked in has .eh_frame.
  if (const auto section = file.section(".debug_frame", symbolize::ElfFile::kLargestTable))
    rows = fill_gaps(std::move(rows), rows_of(file, machine,
                                              symbolize::read_frame_section(section->bytes, section->address,
                                                                            FrameSection::Format::DebugFrame)));
  else if (const auto table = symbolize::read_go_table(file))
    rows = fill_gaps(std::move(rows), go_rows(*table, machine));
  breathe();
  Landmarks landmarks = find_landmarks(file, machine);
  rows = fill_gaps(std::move(rows), std::move(landmarks.where_nothing_is_known));
  breathe();
  rows = fill_gaps(std::move(landmarks.always), std::move(rows));
  return from_rows(machine, rows);
}

}  // namespace atys::unwind
