// SPDX-License-Identifier: Apache-2.0
#include "unwind/code_bias.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace atys::unwind {
namespace {

struct Load {
  uint64_t offset;
  uint64_t address;
  uint64_t size;
  uint32_t flags;
};

symbolize::ElfFile file_with(const std::vector<Load>& loads) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<uint16_t>(loads.size());
  Bytes image(0x10000);
  std::fill(image.begin(), image.end(), std::byte{0});
  std::memcpy(image.data(), &header, sizeof(header));
  for (size_t i = 0; i < loads.size(); ++i) {
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_flags = loads[i].flags;
    load.p_offset = loads[i].offset;
    load.p_vaddr = loads[i].address;
    load.p_filesz = load.p_memsz = loads[i].size;
    std::memcpy(image.data() + sizeof(header) + i * sizeof(load), &load, sizeof(load));
  }
  return symbolize::ElfFile::parse(std::move(image), "made by hand").take();
}

TEST(code_bias, is_that_of_the_code_where_segments_share_a_page) {
  // As lld lays files out: the code begins in the page in which the data before it ends.
  const auto file = file_with({{0, 0, 0x2345, PF_R}, {0x2348, 0x3348, 0x1000, PF_R | PF_X}, {0x3348, 0x5348, 0x100, PF_R}});
  EXPECT_EQ(code_bias(file, 0x7f0000003000, 0x2000), 0x7f0000000000u);
}

TEST(code_bias, is_known_for_a_part_of_a_segment) {
  const auto file = file_with({{0, 0x400000, 0x1000, PF_R}, {0x1000, 0x401000, 0x5000, PF_R | PF_X}});
  EXPECT_EQ(code_bias(file, 0x401000, 0x1000), 0u);
  EXPECT_EQ(code_bias(file, 0x404000, 0x4000), 0u);
}

TEST(code_bias, is_not_known_where_the_file_has_no_code) {
  const auto file = file_with({{0, 0, 0x1000, PF_R}, {0x1000, 0x1000, 0x1000, PF_R | PF_X}});
  EXPECT_EQ(code_bias(file, 0x7f0000000000, 0x8000), std::nullopt);
  EXPECT_EQ(code_bias(file_with({{0, 0, 0x1000, PF_R}}), 0x7f0000000000, 0), std::nullopt);
}

}  // namespace
}  // namespace atys::unwind
