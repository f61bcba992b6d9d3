// SPDX-License-Identifier: Apache-2.0
// One ELF file: its segments, sections and build id. Read with plain reads, never mapped: a file that shrinks while we look
// must give an error, not a SIGBUS. Everything in it is hostile until checked. Not for use by two threads at once.
#pragma once

#include <gelf.h>
#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::symbolize {

class ElfFile {
 public:
  static constexpr uint64_t kLargestSection = uint64_t{64} << 20;
  static constexpr uint64_t kLargestTable = uint64_t{512} << 20;  // of symbols, names, rules

  // A loadable segment. Addresses are the file's own (before it is moved to where a process has it).
  struct Segment {
    uint64_t address = 0;
    uint64_t file_offset = 0;
    uint64_t file_size = 0;
    uint64_t memory_size = 0;
    bool is_executable = false;
  };
  struct Section {
    uint64_t address = 0;
    uint32_t type = 0;
    std::span<const std::byte> bytes;  // decompressed; lives as long as the file
  };

  // Regular files only. `name` is for messages.
  static Result<ElfFile> open(UniqueFd fd, std::string name);
  static Result<ElfFile> open(const std::string& path);
  // An image in memory, such as the vDSO.
  static Result<ElfFile> parse(Bytes image, std::string name);

  ElfFile(ElfFile&&) noexcept = default;
  ElfFile& operator=(ElfFile&&) noexcept = default;

  const std::string& name() const { return name_; }
  uint16_t machine() const { return machine_; }              // EM_X86_64, EM_AARCH64 …
  const std::string& build_id() const { return build_id_; }  // lower-case hexadecimal; empty: none
  const std::vector<Segment>& segments() const { return segments_; }
  uint64_t file_size() const { return file_size_; }

  // Where a byte of the file is in the file's own address space.
  std::optional<uint64_t> address_of_offset(uint64_t file_offset) const;
  // The first section of that name that has bytes in the file. Not one that is, or unpacks to, more than `most_bytes`.
  std::optional<Section> section(const char* section_name, uint64_t most_bytes = kLargestSection) const;
  bool has_section(const char* section_name) const;  // nothing of it is read
  // What the sections whose names begin so take in memory, by what their headers say: none of them is read for it.
  uint64_t unpacked_bytes(std::string_view prefix) const;

  // Bytes of a segment, at its address; false: the file does not have all of them.
  bool read(uint64_t address, std::span<std::byte> into) const;
  // The same at an offset of the file.
  bool read_at(uint64_t file_offset, std::span<std::byte> into) const;

  Elf* handle() const { return elf_.get(); }
  int fd() const { return fd_.get(); }

 private:
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  ElfFile() = default;
  Result<> check_counts() const;
  Result<> check_tables() const;
  Result<> read_headers();
  void read_build_id();
  uint64_t unpacked_size(std::string_view name, const GElf_Shdr& header) const;

  // Before elf_: libelf uses both until it is closed.
  UniqueFd fd_;
  Bytes image_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::string name_;
  std::string build_id_;
  std::vector<Segment> segments_;
  uint64_t file_size_ = 0;
  uint16_t machine_ = 0;
};

}  // namespace atys::symbolize
