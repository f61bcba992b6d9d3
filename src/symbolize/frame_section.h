// SPDX-License-Identifier: Apache-2.0
// The entries of a section of call frame information (.eh_frame, .debug_frame): which code has a description, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbolize/elf_file.h"

namespace atys::symbolize {

// What the functions of one compilation unit have in common (CIE).
struct FrameCommon {
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint64_t return_register = 0;
  uint8_t address_encoding = 0;  // DW_EH_PE_*
  bool is_signal_frame = false;
  bool has_augmentation_size = false;
  bool is_readable = false;
  std::span<const std::byte> program;
};

// The description of one stretch of code (FDE).
struct FrameEntry {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t common = 0;  // index into FrameSection::commons
  std::span<const std::byte> program;
};

struct FrameSection {
  enum class Format { EhFrame, DebugFrame };
  std::vector<FrameCommon> commons;
  std::vector<FrameEntry> entries;
  uint64_t skipped = 0;  // entries that make no sense
};

// The section .eh_frame of a file; empty where there is none. Spans live as long as the file.
FrameSection read_eh_frame(const ElfFile& file);

// `address`: where the section is in the file's address space. Spans point into `bytes`. `is_open_ended`: the section's size
// is not known, its terminator ends it.
FrameSection read_frame_section(std::span<const std::byte> bytes, uint64_t address, FrameSection::Format format,
                                bool is_open_ended = false);

}  // namespace atys::symbolize
