// SPDX-License-Identifier: Apache-2.0
#include "symbolize/frame_section.h"

#include <dwarf.h>
#include <gelf.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "symbolize/cursor.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostEntries = size_t{1} << 23;

class SectionReader {
 public:
  SectionReader(std::span<const std::byte> bytes, uint64_t address, FrameSection::Format format, bool is_open_ended)
      : bytes_(bytes), address_(address), is_eh_(format == FrameSection::Format::EhFrame), is_open_ended_(is_open_ended) {}

  FrameSection read() {
    Cursor cursor(bytes_);
    while (!cursor.at_end() && section_.entries.size() < kMostEntries) {
      const std::optional<Record> record = read_record(cursor);
      if (!record) break;
      if (record->bytes.empty()) {
        // Linkers may join sections that each end in a terminator.
        if (is_open_ended_) break;
        continue;
      }
      if (!is_common(*record) && !read_entry(*record)) ++section_.skipped;
    }
    return std::move(section_);
  }

 private:
  struct Record {
    std::span<const std::byte> bytes;  // from the identifier on
    size_t start = 0;                  // offset of bytes in the section
    bool is_long = false;
  };

  std::optional<Record> read_record(Cursor& cursor) const {
    Record record;
    uint64_t size = cursor.fixed<uint32_t>();
    if (size == 0xffffffff) {
      record.is_long = true;
      size = cursor.fixed<uint64_t>();
    }
    record.start = cursor.position();
    record.bytes = cursor.block(size);
    if (!cursor.ok()) return {};
    return record;
  }

  uint64_t read_id(const Record& record, Cursor& cursor) const {
    return record.is_long && !is_eh_ ? cursor.fixed<uint64_t>() : cursor.fixed<uint32_t>();
  }

  bool is_common(const Record& record) const {
    Cursor cursor(record.bytes);
    const uint64_t id = read_id(record, cursor);
    if (is_eh_) return id == 0;
    return id == (record.is_long ? DW_CIE_ID_64 : uint64_t{DW_CIE_ID_32});
  }

  bool read_entry(const Record& record) {
    Cursor cursor(record.bytes);
    const uint64_t id = read_id(record, cursor);
    if (is_eh_ && id > record.start) return false;
    const uint32_t index = common_at(is_eh_ ? record.start - id : id);
    const FrameCommon& common = section_.commons[index];
    if (!common.is_readable) return false;
    FrameEntry entry;
    entry.common = index;
    const uint64_t field = address_ + record.start + cursor.position();
    const std::optional<uint64_t> begin = read_pointer(cursor, common.address_encoding, field);
    const std::optional<uint64_t> size = read_pointer(cursor, common.address_encoding & 0x0f, 0);
    if (!begin || !size || *begin == 0 || *size == 0 || *size > UINT64_MAX - *begin) return false;
    if (common.has_augmentation_size) cursor.block(cursor.uleb());
    if (!cursor.ok()) return false;
    entry.begin = *begin;
    entry.end = *begin + *size;
    entry.program = cursor.block(cursor.left());
    section_.entries.push_back(entry);
    return true;
  }

  uint32_t common_at(uint64_t offset) {
    const auto [found, is_new] = common_of_offset_.try_emplace(offset, static_cast<uint32_t>(section_.commons.size()));
    if (is_new) section_.commons.push_back(read_common(offset));
    return found->second;
  }

  // Unreadable commons are remembered too, so that a hostile file cannot have us read one again and again.
  FrameCommon read_common(uint64_t offset) const {
    FrameCommon common;
    if (offset >= bytes_.size()) return common;
    Cursor section(bytes_, offset);
    const std::optional<Record> record = read_record(section);
    if (!record || !is_common(*record)) return common;
    Cursor cursor(record->bytes);
    read_id(*record, cursor);
    const auto version = cursor.fixed<uint8_t>();
    if (version != 1 && version != 3 && version != 4) return common;
    const std::string augmentation = read_string(cursor);
    if (version == 4) cursor.fixed<uint16_t>();  // sizes of addresses and of segments
    common.code_align = cursor.uleb();
    common.data_align = cursor.sleb();
    common.return_register = version == 1 ? cursor.fixed<uint8_t>() : cursor.uleb();
    if (!read_augmentation(augmentation, cursor, common)) return common;
    common.program = cursor.block(cursor.left());
    common.is_readable = cursor.ok();
    return common;
  }

  static std::string read_string(Cursor& cursor) {
    constexpr size_t kLongest = 15;
    std::string text;
    while (text.size() <= kLongest) {
      const auto letter = static_cast<char>(cursor.fixed<uint8_t>());
      if (letter == '\0') break;
      text += letter;
    }
    return text;
  }

  static bool read_augmentation(std::string_view letters, Cursor& cursor, FrameCommon& common) {
    if (letters.empty()) return true;
    if (letters.front() != 'z') return false;
    common.has_augmentation_size = true;
    Cursor data(cursor.block(cursor.uleb()));
    for (const char letter : letters.substr(1)) {
      if (letter == 'R') common.address_encoding = data.fixed<uint8_t>();
      if (letter == 'L') data.fixed<uint8_t>();
      if (letter == 'P' && !skip_personality(data)) return false;
      if (letter == 'S') common.is_signal_frame = true;
    }
    return data.ok();
  }

  static bool skip_personality(Cursor& data) {
    const auto encoding = data.fixed<uint8_t>();
    return encoding == DW_EH_PE_omit || read_pointer(data, encoding & 0x0f, 0).has_value();
  }

  // `field`: the address of the pointer itself.
  static std::optional<uint64_t> read_pointer(Cursor& cursor, uint8_t encoding, uint64_t field) {
    uint64_t value = 0;
    switch (encoding & 0x0f) {
      case DW_EH_PE_absptr: value = cursor.fixed<uint64_t>(); break;
      case DW_EH_PE_uleb128: value = cursor.uleb(); break;
      case DW_EH_PE_udata2: value = cursor.fixed<uint16_t>(); break;
      case DW_EH_PE_udata4: value = cursor.fixed<uint32_t>(); break;
      case DW_EH_PE_udata8: value = cursor.fixed<uint64_t>(); break;
      case DW_EH_PE_sleb128: value = static_cast<uint64_t>(cursor.sleb()); break;
      case DW_EH_PE_sdata2: value = static_cast<uint64_t>(int64_t{cursor.fixed<int16_t>()}); break;
      case DW_EH_PE_sdata4: value = static_cast<uint64_t>(int64_t{cursor.fixed<int32_t>()}); break;
      case DW_EH_PE_sdata8: value = static_cast<uint64_t>(cursor.fixed<int64_t>()); break;
      default: return {};
    }
    if (!cursor.ok()) return {};
    switch (encoding & 0xf0) {
      case DW_EH_PE_absptr: return value;
      case DW_EH_PE_pcrel: return value + field;
      default: return {};
    }
  }

  std::span<const std::byte> bytes_;
  uint64_t address_ = 0;
  bool is_eh_ = false;
  bool is_open_ended_ = false;
  FrameSection section_;
  std::unordered_map<uint64_t, uint32_t> common_of_offset_;
};

// .eh_frame of a file without section headers: the segment PT_GNU_EH_FRAME says where it begins.
std::optional<ElfFile::Section> eh_frame_by_segment(const ElfFile& file) {
  size_t count = 0;
  if (elf_getphdrnum(file.handle(), &count) != 0) return {};
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(file.handle(), static_cast<int>(i), &header) == nullptr || header.p_type != PT_GNU_EH_FRAME) continue;
    const Elf_Data* index = elf_getdata_rawchunk(file.handle(), static_cast<int64_t>(header.p_offset), 8, ELF_T_BYTE);
    if (index == nullptr) return {};
    Cursor cursor({static_cast<const std::byte*>(index->d_buf), index->d_size});
    // Version 1; the pointer is a signed 32-bit distance from itself. No linker writes it otherwise.
    if (cursor.fixed<uint16_t>() != 0x1b01) return {};
    cursor.fixed<uint16_t>();
    const uint64_t address = header.p_vaddr + 4 + static_cast<uint64_t>(int64_t{cursor.fixed<int32_t>()});
    for (const auto& segment : file.segments()) {
      if (address < segment.address || address - segment.address >= segment.file_size) continue;
      const uint64_t skip = address - segment.address;
      if (segment.file_size - skip > ElfFile::kLargestTable) return {};
      const Elf_Data* data = elf_getdata_rawchunk(file.handle(), static_cast<int64_t>(segment.file_offset + skip),
                                                  segment.file_size - skip, ELF_T_BYTE);
      if (data == nullptr) return {};
      return ElfFile::Section{address, SHT_PROGBITS, {static_cast<const std::byte*>(data->d_buf), data->d_size}};
    }
  }
  return {};
}

}  // namespace

FrameSection read_frame_section(std::span<const std::byte> bytes, uint64_t address, FrameSection::Format format,
                                bool is_open_ended) {
  return SectionReader(bytes, address, format, is_open_ended).read();
}

FrameSection read_eh_frame(const ElfFile& file) {
  if (const auto section = file.section(".eh_frame", ElfFile::kLargestTable))
    return read_frame_section(section->bytes, section->address, FrameSection::Format::EhFrame);
  if (const auto section = eh_frame_by_segment(file))
    return read_frame_section(section->bytes, section->address, FrameSection::Format::EhFrame, true);
  return {};
}

}  // namespace atys::symbolize
