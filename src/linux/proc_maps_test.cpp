// SPDX-License-Identifier: Apache-2.0
#include "linux/proc_maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace atys::linux {
namespace {

TEST(proc_maps, reads_each_kind_of_line) {
  const auto ranges = parse_maps(
      "55d0a0000000-55d0a0001000 r-xp 00002000 fe:01 1234      /usr/bin/a name with spaces\n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
      "7f0000002000-7f0000003000 r-xp 00000000 fe:01 99        /tmp/lib.so (deleted)\n"
      "not a mapping\n"
      "7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0         [vdso]");
  ASSERT_EQ(ranges.size(), 4u);
  EXPECT_EQ(ranges[0].path, "/usr/bin/a name with spaces");
  EXPECT_EQ(ranges[0].file_offset, 0x2000u);
  EXPECT_EQ(ranges[0].file.inode, 1234u);
  EXPECT_TRUE(ranges[0].is_executable);
  EXPECT_EQ(ranges[1].path, "");
  EXPECT_FALSE(ranges[1].is_executable);
  EXPECT_EQ(ranges[2].path, "/tmp/lib.so");
  EXPECT_TRUE(ranges[2].is_deleted);
  EXPECT_EQ(ranges[3].path, "[vdso]");
  EXPECT_TRUE(ranges[3].contains(0x7ffd00000000));
  EXPECT_FALSE(ranges[3].contains(0x7ffd00001000));
}

TEST(proc_maps, finds_our_own_code) {
  const auto ranges = read_maps(getpid());
  ASSERT_TRUE(ranges.ok());
  const auto here = reinterpret_cast<uint64_t>(&parse_maps);
  bool found = false;
  for (const MappedRange& range : *ranges) found |= range.is_executable && range.contains(here);
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace atys::linux
