// SPDX-License-Identifier: Apache-2.0
#include "symbolize/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "support/compiled_program.h"
#include "symbolize/dwarf.h"

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

TEST(elf_file, says_what_packed_sections_unpack_to_before_any_is_read) {
  const test::BuildFolder folder;
  folder.write("program.cpp", test::kSampleProgram);
  ASSERT_TRUE(
      folder.run("g++ -g -o plain program.cpp && cp plain packed && cp plain old && "
                 "objcopy --compress-debug-sections=zlib packed && objcopy --compress-debug-sections=zlib-gnu old"));
  const auto bytes_of = [&](const char* name) {
    const auto file = ElfFile::open(folder.file(name));
    return file.ok() ? file->unpacked_bytes(".debug_") + file->unpacked_bytes(".zdebug_") : 0;
  };
  const uint64_t plain = bytes_of("plain");
  EXPECT_GT(plain, 1000u);
  for (const char* name : {"packed", "old"}) {
    EXPECT_EQ(bytes_of(name), plain) << name;
    auto file = ElfFile::open(folder.file(name));
    ASSERT_TRUE(file.ok());
    const auto shared = std::make_shared<const ElfFile>(file.take());
    const auto refused = DwarfInfo::open(shared, nullptr, plain - 1);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::ResourceExhausted);
    EXPECT_TRUE(DwarfInfo::open(shared, nullptr, plain).ok()) << name;
  }
}

TEST(elf_file, refuses_more_sections_than_any_file_has) {
  struct {
    Elf64_Ehdr header{};
    Elf64_Shdr first{};
  } image;
  std::memcpy(image.header.e_ident, ELFMAG, SELFMAG);
  image.header.e_ident[EI_CLASS] = ELFCLASS64;
  image.header.e_ident[EI_DATA] = ELFDATA2LSB;
  image.header.e_ident[EI_VERSION] = EV_CURRENT;
  image.header.e_shoff = sizeof image.header;
  image.header.e_shentsize = sizeof image.first;
  image.first.sh_size = uint64_t{1} << 30;
  const auto bytes = std::as_bytes(std::span(&image, 1));
  const auto parsed = ElfFile::parse(Bytes(bytes.begin(), bytes.end()), "image");
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.error().message.find("too many sections"), std::string::npos) << parsed.error().message;
}

}  // namespace
}  // namespace atys::symbolize
