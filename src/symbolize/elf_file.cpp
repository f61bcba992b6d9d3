// SPDX-License-Identifier: Apache-2.0
#include "symbolize/elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor_io.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostSegments = 4096;
constexpr size_t kMostSections = size_t{1} << 17;
constexpr size_t kLongestBuildId = 64;
constexpr uint64_t kLargestNotes = uint64_t{1} << 20;
constexpr uint64_t kLargestNames = uint64_t{16} << 20;  // of sections

Error fail_elf(const std::string& name) { return fail(ErrorCode::InvalidInput, name + ": " + elf_errmsg(-1)); }

void init_libelf() {
  static const bool kDone = elf_version(EV_CURRENT) != EV_NONE;
  CHECK(kDone);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

// The build id in a block of notes; empty if there is none.
std::string build_id_in(Elf_Data* notes) {
  GElf_Nhdr header;
  size_t name = 0;
  size_t content = 0;
  for (size_t at = 0; (at = gelf_getnote(notes, at, &header, &name, &content)) != 0;) {
    const auto* bytes = static_cast<const std::byte*>(notes->d_buf);
    if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != 4 || header.n_descsz == 0) continue;
    if (header.n_descsz > kLongestBuildId || std::memcmp(bytes + name, "GNU", 4) != 0) continue;
    return hex({bytes + content, header.n_descsz});
  }
  return {};
}

// How many sections the header says there are, with room for each in libelf's memory before any is looked at. More than
// 65,279 are counted in the first of them.
template <typename Header, typename SectionHeader, typename Read>
uint64_t count_sections(const Read& read) {
  Header header{};
  if (!read(0, std::as_writable_bytes(std::span(&header, 1)))) return 0;
  SectionHeader first{};
  if (header.e_shnum != 0 || header.e_shoff == 0) return header.e_shnum;
  return read(header.e_shoff, std::as_writable_bytes(std::span(&first, 1))) ? first.sh_size : 0;
}

// Tables that are read as they are. No linker packs them, and unpacking would be done behind our back.
bool is_table(uint32_t type) {
  return type == SHT_SYMTAB || type == SHT_DYNSYM || type == SHT_STRTAB || type == SHT_RELA || type == SHT_REL ||
         type == SHT_NOTE;
}

}  // namespace

Result<ElfFile> ElfFile::open(UniqueFd fd, std::string name) {
  init_libelf();
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return fail_errno("stat " + name);
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::InvalidInput, name + ": not a regular file");
  ElfFile file;
  file.name_ = std::move(name);
  file.fd_ = std::move(fd);
  file.file_size_ = static_cast<uint64_t>(status.st_size);
  TRY(file.check_counts());
  file.elf_.reset(elf_begin(file.fd_.get(), ELF_C_READ, nullptr));
  TRY(file.read_headers());
  return file;
}

Result<ElfFile> ElfFile::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) return fail_errno("open " + path);
  return open(std::move(fd), path);
}

Result<ElfFile> ElfFile::parse(Bytes image, std::string name) {
  init_libelf();
  ElfFile file;
  file.name_ = std::move(name);
  file.image_ = std::move(image);
  file.file_size_ = file.image_.size();
  TRY(file.check_counts());
  file.elf_.reset(elf_memory(reinterpret_cast<char*>(file.image_.data()), file.image_.size()));
  TRY(file.read_headers());
  return file;
}

// Numbers of the other byte order are no more than wrong here: libelf counts anew.
Result<> ElfFile::check_counts() const {
  std::array<unsigned char, EI_NIDENT> head{};
  if (!read_at(0, std::as_writable_bytes(std::span(head))) || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0)
    return fail(ErrorCode::InvalidInput, name_ + ": not an ELF file");
  if (head[EI_DATA] != ELFDATA2LSB) return fail(ErrorCode::Unsupported, name_ + ": of another byte order");
  const auto read = [this](uint64_t offset, std::span<std::byte> into) { return read_at(offset, into); };
  const uint64_t count = head[EI_CLASS] == ELFCLASS64 ? count_sections<Elf64_Ehdr, Elf64_Shdr>(read)
                                                      : count_sections<Elf32_Ehdr, Elf32_Shdr>(read);
  if (count > kMostSections) return fail(ErrorCode::InvalidInput, name_ + ": too many sections");
  return {};
}

// Before anything reads them: whole tables are held in memory, whatever they say their size is.
Result<> ElfFile::check_tables() const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return {};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const uint64_t most = elf_ndxscn(section) == names ? kLargestNames : kLargestTable;
    const bool is_packed = (header.sh_flags & SHF_COMPRESSED) != 0;
    if (elf_ndxscn(section) != names && !is_table(header.sh_type)) continue;
    if (is_packed || header.sh_size > most)
      return fail(ErrorCode::InvalidInput, name_ + (is_packed ? ": a packed symbol table" : ": too large a symbol table"));
  }
  return {};
}

Result<> ElfFile::read_headers() {
  if (elf_ == nullptr) return fail_elf(name_);
  GElf_Ehdr header;
  if (elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header) == nullptr)
    return fail(ErrorCode::InvalidInput, name_ + ": not an ELF file");
  machine_ = header.e_machine;
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return fail_elf(name_);
  TRY(check_tables());
  if (count > kMostSegments) return fail(ErrorCode::InvalidInput, name_ + ": too many segments");
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) return fail_elf(name_);
    if (segment.p_type != PT_LOAD) continue;
    segments_.push_back(
        {segment.p_vaddr, segment.p_offset, segment.p_filesz, segment.p_memsz, (segment.p_flags & PF_X) != 0});
  }
  read_build_id();
  return {};
}

void ElfFile::read_build_id() {
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return;
  for (size_t i = 0; i < count && build_id_.empty(); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_NOTE) continue;
    if (segment.p_offset > file_size_ || segment.p_filesz > file_size_ - segment.p_offset) continue;
    if (segment.p_filesz > kLargestNotes) continue;
    const Elf_Type type = segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
    if (Elf_Data* notes = elf_getdata_rawchunk(elf_.get(), static_cast<int64_t>(segment.p_offset), segment.p_filesz, type))
      build_id_ = build_id_in(notes);
  }
  // Debug files keep the section but their segments have no bytes.
  if (!build_id_.empty()) return;
  Elf_Scn* scan = nullptr;
  while ((scan = elf_nextscn(elf_.get(), scan)) != nullptr && build_id_.empty()) {
    GElf_Shdr header;
    if (gelf_getshdr(scan, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    if (header.sh_size > kLargestNotes) continue;
    if (Elf_Data* notes = elf_getdata(scan, nullptr)) build_id_ = build_id_in(notes);
  }
}

std::optional<uint64_t> ElfFile::address_of_offset(uint64_t file_offset) const {
  for (const Segment& segment : segments_)
    if (file_offset >= segment.file_offset && file_offset - segment.file_offset < segment.file_size)
      return segment.address + (file_offset - segment.file_offset);
  return {};
}

bool ElfFile::read(uint64_t address, std::span<std::byte> into) const {
  for (const Segment& segment : segments_) {
    const uint64_t skipped = address - segment.address;
    if (address < segment.address || skipped >= segment.file_size || into.size() > segment.file_size - skipped) continue;
    if (read_at(segment.file_offset + skipped, into)) return true;
  }
  return false;
}

bool ElfFile::read_at(uint64_t offset, std::span<std::byte> into) const {
  if (offset > file_size_ || into.size() > file_size_ - offset) return false;
  if (fd_.is_open()) return read_all_at(fd_.get(), into, static_cast<off_t>(offset)) == into.size();
  std::ranges::copy(std::span(image_).subspan(offset, into.size()), into.begin());
  return true;
}

// What a packed section says that it unpacks to: at its beginning, in either of the two ways there are.
uint64_t ElfFile::unpacked_size(std::string_view name, const GElf_Shdr& header) const {
  if (header.sh_type == SHT_NOBITS) return 0;
  const uint64_t plain = std::min<uint64_t>(header.sh_size, file_size_);
  if ((header.sh_flags & SHF_COMPRESSED) != 0) {
    Elf64_Chdr packed{};
    Elf32_Chdr small{};
    const bool is_64 = gelf_getclass(elf_.get()) == ELFCLASS64;
    const bool is_there = is_64 ? read_at(header.sh_offset, std::as_writable_bytes(std::span(&packed, 1)))
                                : read_at(header.sh_offset, std::as_writable_bytes(std::span(&small, 1)));
    return is_there ? std::max<uint64_t>(plain, is_64 ? packed.ch_size : small.ch_size) : plain;
  }
  if (!name.starts_with(".zdebug")) return plain;
  std::array<std::byte, 12> head{};  // "ZLIB" and the size, most significant byte first
  if (!read_at(header.sh_offset, head)) return plain;
  uint64_t size = 0;
  for (size_t i = 4; i < head.size(); ++i) size = size << 8 | static_cast<uint64_t>(head[i]);
  return std::max(plain, size);
}

uint64_t ElfFile::unpacked_bytes(std::string_view prefix) const {
  size_t names = 0;
  uint64_t total = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return 0;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf_.get(), names, header.sh_name);
    if (name == nullptr || !std::string_view(name).starts_with(prefix)) continue;
    const uint64_t bytes = unpacked_size(name, header);
    total = bytes > UINT64_MAX - total ? UINT64_MAX : total + bytes;
  }
  return total;
}

bool ElfFile::has_section(const char* section_name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* found = elf_strptr(elf_.get(), names, header.sh_name);
    if (found != nullptr && std::strcmp(found, section_name) == 0) return true;
  }
  return false;
}

std::optional<ElfFile::Section> ElfFile::section(const char* section_name, uint64_t most_bytes) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return {};
  Elf_Scn* scan = nullptr;
  while ((scan = elf_nextscn(elf_.get(), scan)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(scan, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* found = elf_strptr(elf_.get(), names, header.sh_name);
    if (found == nullptr || std::strcmp(found, section_name) != 0 || unpacked_size(found, header) > most_bytes) continue;
    if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(scan, 0, 0) < 0) return {};
    Elf_Data* data = elf_rawdata(scan, nullptr);
    if (data == nullptr) return {};
    return Section{header.sh_addr, header.sh_type, {static_cast<const std::byte*>(data->d_buf), data->d_size}};
  }
  return {};
}

}  // namespace atys::symbolize
