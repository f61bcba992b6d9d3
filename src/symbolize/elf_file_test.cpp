// SPDX-License-Identifier: Apache-2.0
#include "symbolize/elf_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

namespace atys::symbolize {
namespace {

TEST(elf_file, reads_our_own_program) {
  const auto file = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file.ok());
  const auto text = file->section(".text");
  ASSERT_TRUE(text.has_value());
  EXPECT_GT(text->bytes.size(), 1000u);
  bool is_loaded = false;
  for (const auto& segment : file->segments())
    if (segment.is_executable && text->address >= segment.address) {
      is_loaded = true;
      EXPECT_EQ(file->address_of_offset(segment.file_offset + 64), segment.address + 64);
    }
  EXPECT_TRUE(is_loaded);
  EXPECT_FALSE(file->section(".no-such-section").has_value());
}

TEST(elf_file, refuses_what_is_no_elf_file) {
  EXPECT_FALSE(ElfFile::open("/proc/self/maps").ok());
  EXPECT_FALSE(ElfFile::open("/no/such/file").ok());
  EXPECT_FALSE(ElfFile::parse(Bytes(100), "zeros").ok());
}

TEST(elf_file, does_not_wait_for_a_fifo) {
  const std::string path = testing::TempDir() + "elf_file_fifo";
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto file = ElfFile::open(path);
  ::unlink(path.c_str());
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace atys::symbolize
