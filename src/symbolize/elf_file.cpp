// SPDX-License-Identifier: Apache-2.0
#include "symbolize/elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace atys::symbolize {

namespace {

constexpr uint64_t kLargestSection = uint64_t{4} << 30;
constexpr size_t kMostSegments = 4096;
constexpr size_t kLongestBuildId = 64;

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

bool read_all(int fd, std::span<std::byte> into, uint64_t offset) {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return true;
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
  file.elf_.reset(elf_memory(reinterpret_cast<char*>(file.image_.data()), file.image_.size()));
  TRY(file.read_headers());
  return file;
}

Result<> ElfFile::read_headers() {
  if (elf_ == nullptr) return fail_elf(name_);
  GElf_Ehdr header;
  if (elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header) == nullptr)
    return fail(ErrorCode::InvalidInput, name_ + ": not an ELF file");
  machine_ = header.e_machine;
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return fail_elf(name_);
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
    const uint64_t offset = segment.file_offset + skipped;
    if (offset > file_size_ || into.size() > file_size_ - offset) continue;
    if (fd_.is_open()) return read_all(fd_.get(), into, offset);
    std::ranges::copy(std::span(image_).subspan(offset, into.size()), into.begin());
    return true;
  }
  return false;
}

std::optional<ElfFile::Section> ElfFile::section(const char* section_name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return {};
  Elf_Scn* scan = nullptr;
  while ((scan = elf_nextscn(elf_.get(), scan)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(scan, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* found = elf_strptr(elf_.get(), names, header.sh_name);
    if (found == nullptr || std::strcmp(found, section_name) != 0 || header.sh_size > kLargestSection) continue;
    if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(scan, 0, 0) < 0) return {};
    Elf_Data* data = elf_rawdata(scan, nullptr);
    if (data == nullptr) return {};
    return Section{header.sh_addr, header.sh_type, {static_cast<const std::byte*>(data->d_buf), data->d_size}};
  }
  return {};
}

}  // namespace atys::symbolize
