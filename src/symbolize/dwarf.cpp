// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace atys::symbolize {

namespace {

constexpr size_t kMostUnits = size_t{1} << 22;
constexpr int kMostRangesOfUnit = 1 << 20;
constexpr size_t kMostRanges = size_t{1} << 23;
constexpr uint64_t kLargestLink = uint64_t{64} << 10;

// libdw reads and unpacks all of them at once.
uint64_t debug_bytes(const ElfFile& file) {
  const uint64_t plain = file.unpacked_bytes(".debug_");
  const uint64_t old = file.unpacked_bytes(".zdebug_");
  return old > UINT64_MAX - plain ? UINT64_MAX : plain + old;
}

}  // namespace

bool DwarfInfo::has_debug_info(const ElfFile& file) {
  return file.unpacked_bytes(".debug_info") > 0 || file.unpacked_bytes(".zdebug_info") > 0;
}

std::optional<DwarfInfo::AlternateLink> DwarfInfo::alternate_link(const ElfFile& file) {
  const auto section = file.section(".gnu_debugaltlink", kLargestLink);
  if (!section) return {};
  const auto* text = reinterpret_cast<const char*>(section->bytes.data());
  const size_t length = ::strnlen(text, section->bytes.size());
  if (length == section->bytes.size()) return {};
  AlternateLink link{std::string(text, length), {}};
  for (const std::byte b : section->bytes.subspan(length + 1))
    link.build_id += fmt::format("{:02x}", static_cast<unsigned>(b));
  return link;
}

Result<std::unique_ptr<DwarfInfo>> DwarfInfo::open(std::shared_ptr<const ElfFile> file,
                                                   std::shared_ptr<const ElfFile> alternate, uint64_t most_bytes) {
  // libdw would look for the file itself, and open whatever path the link names.
  if (alternate == nullptr && file->has_section(".gnu_debugaltlink"))
    return fail(ErrorCode::NotFound, file->name() + ": its shared debug file (.gnu_debugaltlink) is not there",
                "install the debug package of the same build");
  std::unique_ptr<DwarfInfo> info(new DwarfInfo);
  // Before any of it is read: a few packed bytes may stand for more than the machine has.
  info->section_bytes_ = debug_bytes(*file);
  const uint64_t shared_bytes = alternate == nullptr ? 0 : debug_bytes(*alternate);
  if (info->section_bytes_ > most_bytes || shared_bytes > most_bytes - info->section_bytes_)
    return fail(ErrorCode::ResourceExhausted, file->name() + ": too much debug information");
  info->section_bytes_ += shared_bytes;
  info->dwarf_.reset(dwarf_begin_elf(file->handle(), DWARF_C_READ, nullptr));
  if (info->dwarf_ == nullptr) return fail(ErrorCode::InvalidInput, file->name() + ": " + dwarf_errmsg(-1));
  if (alternate != nullptr) {
    info->alternate_.reset(dwarf_begin_elf(alternate->handle(), DWARF_C_READ, nullptr));
    if (info->alternate_ == nullptr) return fail(ErrorCode::InvalidInput, alternate->name() + ": " + dwarf_errmsg(-1));
    dwarf_setalt(info->dwarf_.get(), info->alternate_.get());
  }
  info->file_ = std::move(file);
  info->alternate_file_ = std::move(alternate);
  info->find_units();
  return info;
}

void DwarfInfo::find_units() {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (units_.size() < kMostUnits && dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) continue;
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    ptrdiff_t at = 0;
    const auto number = static_cast<uint32_t>(units_.size());
    const size_t before = ranges_.size();
    for (int i = 0;
         i < kMostRangesOfUnit && ranges_.size() < kMostRanges && (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;
         ++i)
      if (start < end && start != 0) ranges_.push_back({start, end, number});
    if (ranges_.size() > before) units_.push_back(std::make_unique<DwarfUnit>(die));
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const UnitRange& a, const UnitRange& b) { return a.start < b.start; });
}

std::vector<DwarfInfo::UnitRange>::const_iterator DwarfInfo::range_after(uint64_t address) const {
  return std::upper_bound(ranges_.begin(), ranges_.end(), address,
                          [](uint64_t wanted, const UnitRange& range) { return wanted < range.start; });
}

DwarfUnit* DwarfInfo::unit_at(uint64_t address) {
  const auto after = range_after(address);
  if (after == ranges_.begin()) return nullptr;
  const UnitRange& range = *std::prev(after);
  return address < range.end ? units_[range.unit].get() : nullptr;
}

uint64_t DwarfInfo::same_until(uint64_t address) {
  const auto after = range_after(address);
  uint64_t end = after == ranges_.end() ? UINT64_MAX : after->start;
  if (DwarfUnit* unit = unit_at(address)) end = std::min({end, std::prev(after)->end, unit->same_until(address)});
  return end;
}

std::vector<DwarfFrame> DwarfInfo::frames_at(uint64_t address) {
  std::vector<DwarfFrame> frames;
  if (DwarfUnit* unit = unit_at(address)) unit->add_frames(address, names_, frames);
  return frames;
}

uint64_t DwarfInfo::memory_bytes() const {
  uint64_t total = section_bytes_ + ranges_.capacity() * sizeof(UnitRange) + names_.memory_bytes();
  for (const auto& unit : units_) total += unit->memory_bytes() + sizeof(DwarfUnit);
  return total;
}

}  // namespace atys::symbolize
