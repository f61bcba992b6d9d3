// SPDX-License-Identifier: Apache-2.0
// Whether a library can be preloaded into a program without anybody noticing: looked up in the program's file before it is
// started. Used by Atys for the command that it starts, and by its library for what that starts; so no C++ runtime here.
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

namespace atys::preload {

enum class Preload {
  Works,
  NotReadable,   // no such file, or not ours to read
  Static,        // no loader is asked for
  OtherMachine,  // or other word size: the loader would complain
  GainsRights,   // setuid, setgid, capabilities: the loader would not preload
  HasToBeFirst,  // brings a sanitizer, which refuses to start behind another library
  NotAProgram,
};

// `File`: ssize_t read_at(void*, size_t, uint64_t offset) and bool gains_rights().
template <typename File>
class ProgramFile {
 public:
  explicit ProgramFile(File& file) : file_(file) {}

  Preload judge() {
    if (!read(&header_, sizeof header_, 0)) return Preload::NotAProgram;
    if (header_.e_ident[0] != 0x7f || header_.e_ident[1] != 'E' || header_.e_ident[2] != 'L' || header_.e_ident[3] != 'F')
      return Preload::NotAProgram;
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_machine != kMachine) return Preload::OtherMachine;
    if (file_.gains_rights()) return Preload::GainsRights;
    if (!read_headers()) return Preload::Static;
    return needs_to_be_first() ? Preload::HasToBeFirst : Preload::Works;
  }

 private:
#if defined(__x86_64__)
  static constexpr uint16_t kMachine = EM_X86_64;
#else
  static constexpr uint16_t kMachine = EM_AARCH64;
#endif
  static constexpr size_t kMostHeaders = 64;
  static constexpr size_t kMostEntries = 512;  // of the dynamic section

  bool read(void* into, size_t size, uint64_t at) { return file_.read_at(into, size, at) == static_cast<ssize_t>(size); }

  // False: nobody loads libraries for it.
  bool read_headers() {
    if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum > kMostHeaders) return false;
    bool has_loader = false;
    Elf64_Phdr header;
    for (size_t i = 0; i < header_.e_phnum; ++i) {
      if (!read_header(i, header)) return false;
      has_loader = has_loader || header.p_type == PT_INTERP;
      if (header.p_type == PT_DYNAMIC) dynamic_ = header;
    }
    return has_loader;
  }

  // One at a time: a program may ask on a stack that has no room for all.
  bool read_header(size_t number, Elf64_Phdr& header) {
    return read(&header, sizeof header, header_.e_phoff + number * sizeof header);
  }

  uint64_t offset_of(uint64_t address) {
    Elf64_Phdr header;
    for (size_t i = 0; i < header_.e_phnum && read_header(i, header); ++i)
      if (header.p_type == PT_LOAD && address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz)
        return address - header.p_vaddr + header.p_offset;
    return 0;
  }

  bool is_sanitizer(uint64_t name_at) {
    char name[16] = {};
    (void)file_.read_at(name, sizeof name - 1, name_at);
    constexpr const char* kRuntimes[] = {"libasan", "libtsan", "libhwasan", "libclang_rt."};
    for (const char* runtime : kRuntimes) {
      size_t i = 0;
      while (runtime[i] != 0 && runtime[i] == name[i]) ++i;
      if (runtime[i] == 0) return true;
    }
    return false;
  }

  uint64_t names_offset(size_t entries) {
    Elf64_Dyn entry;
    for (size_t i = 0; i < entries && read(&entry, sizeof entry, dynamic_.p_offset + i * sizeof entry); ++i)
      if (entry.d_tag == DT_STRTAB) return offset_of(entry.d_un.d_ptr);
    return 0;
  }

  bool needs_to_be_first() {
    size_t entries = dynamic_.p_filesz / sizeof(Elf64_Dyn);
    if (entries > kMostEntries) entries = kMostEntries;
    const uint64_t names = names_offset(entries);
    Elf64_Dyn entry;
    for (size_t i = 0; i < entries && read(&entry, sizeof entry, dynamic_.p_offset + i * sizeof entry); ++i)
      if (entry.d_tag == DT_NEEDED && names != 0 && is_sanitizer(names + entry.d_un.d_val)) return true;
    return false;
  }

  File& file_;
  Elf64_Ehdr header_{};
  Elf64_Phdr dynamic_{};
};

}  // namespace atys::preload
