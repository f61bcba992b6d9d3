// SPDX-License-Identifier: Apache-2.0
// Mappings as lines of /proc/PID/maps, and what lies at an address.
#include "capture/native/address_space.h"

#include <gtest/gtest.h>

#include <sstream>

namespace atys::capture::native {
namespace {

constexpr pid_t kPid = 0x7ffffff0;  // no process has it

class Space : public testing::Test {
 protected:
  void map(const std::string& lines) {
    for (const linux::MappedRange& range : linux::parse_maps(lines)) space_.add(range);
  }
  // "1000-3000@0 /a", by address; with @, where in the file.
  std::string shown() {
    std::ostringstream out;
    out << std::hex;
    space_.for_each([&](const linux::MappedRange& range) {
      out << range.start << "-" << range.end << "@" << range.file_offset << " " << range.path << "\n";
    });
    return out.str();
  }
  // "/a+1234": the file, and the address in it.
  std::string at(uint64_t address) {
    const CodePlace place = space_.place_of(kPid, address, modules_);
    std::ostringstream out;
    out << std::hex << place.address;
    if (place.module == kUnknownModule) return "?+" + out.str();
    if (modules_.jit_process(place.module) == kPid) return "[jit]+" + out.str();
    return modules_.file(place.module)->path() + "+" + out.str();
  }

  AddressSpace space_;
  CodeModules modules_{{}};
};

TEST_F(Space, finds_the_file_and_the_place_in_it) {
  map("1000-3000 r-xp 00000000 00:00 0 /a\n"
      "5000-6000 r-xp 00002000 00:00 0 /b\n");
  EXPECT_EQ(at(0x1000), "/a+0");
  EXPECT_EQ(at(0x2fff), "/a+1fff");
  EXPECT_EQ(at(0x5010), "/b+2010");
}

TEST_F(Space, knows_nothing_between_mappings_and_beside_them) {
  map("1000-3000 r-xp 00000000 00:00 0 /a\n");
  EXPECT_EQ(at(0xfff), "?+fff");
  EXPECT_EQ(at(0x3000), "?+3000");
  EXPECT_EQ(at(0), "?+0");
  EXPECT_EQ(at(UINT64_MAX), "?+ffffffffffffffff");
  EXPECT_FALSE(space_.contains(0x3000));
  EXPECT_TRUE(space_.contains(0x2fff));
}

TEST_F(Space, takes_memory_without_a_file_for_code_of_a_jit) {
  map("1000-2000 r-xp 00000000 00:00 0\n"
      "3000-4000 r-xp 00000000 00:00 0 /memfd:doublemapper (deleted)\n"
      "5000-6000 r-xp 00000000 00:00 0 /dev/zero (deleted)\n"
      "7000-8000 r-xp 00000000 00:00 0 [heap]\n");
  for (const uint64_t start : {0x1000, 0x3000, 0x5000, 0x7000}) {
    std::ostringstream expected;
    expected << "[jit]+" << std::hex << start + 16;
    EXPECT_EQ(at(start + 16), expected.str());
  }
}

TEST_F(Space, lets_a_newer_mapping_take_the_place_of_all_that_it_covers) {
  map("1000-2000 r-xp 00000000 00:00 0 /a\n"
      "2000-3000 r-xp 00000000 00:00 0 /b\n"
      "1000-3000 r-xp 00000000 00:00 0 /c\n");
  EXPECT_EQ(shown(), "1000-3000@0 /c\n");
}

TEST_F(Space, keeps_both_ends_of_what_a_newer_mapping_lies_in) {
  map("1000-5000 r-xp 00000000 00:00 0 /a\n");
  EXPECT_EQ(at(0x4010), "/a+3010");
  map("2000-3000 r-xp 00000000 00:00 0 /b\n");
  EXPECT_EQ(shown(), "1000-2000@0 /a\n2000-3000@0 /b\n3000-5000@2000 /a\n");
  EXPECT_EQ(at(0x4010), "/a+3010") << "the same place in the file";
}

TEST_F(Space, cuts_what_a_newer_mapping_overlaps_at_either_side) {
  map("1000-3000 r-xp 00000000 00:00 0 /a\n"
      "4000-6000 r-xp 00001000 00:00 0 /b\n"
      "2000-5000 r-xp 00000000 00:00 0 /c\n");
  EXPECT_EQ(shown(), "1000-2000@0 /a\n2000-5000@0 /c\n5000-6000@2000 /b\n");
}

TEST_F(Space, is_not_changed_by_mappings_that_end_before_they_begin) {
  map("1000-3000 r-xp 00000000 00:00 0 /a\n");
  const uint64_t before = space_.generation();
  linux::MappedRange around_the_end;
  around_the_end.start = UINT64_MAX - 0xfff;
  around_the_end.end = 0x1000;  // start and length from outside, added up
  space_.add(around_the_end);
  EXPECT_EQ(shown(), "1000-3000@0 /a\n");
  EXPECT_EQ(space_.generation(), before);
}

TEST_F(Space, holds_up_to_the_last_address) {
  linux::MappedRange last;
  last.start = UINT64_MAX - 0xfff;
  last.end = UINT64_MAX;
  last.path = "/a";
  space_.add(last);
  EXPECT_TRUE(space_.contains(UINT64_MAX - 1));
  EXPECT_FALSE(space_.contains(UINT64_MAX));
}

TEST_F(Space, has_a_mapping_only_if_it_is_that_very_one) {
  const auto range = [](const char* line) { return linux::parse_maps(line).front(); };
  map("1000-3000 r-xp 00000000 08:01 42 /a\n");
  EXPECT_TRUE(space_.has(range("1000-3000 r-xp 00000000 08:01 42 /a\n")));
  EXPECT_TRUE(space_.has(range("1000-3000 r-xp 00000000 08:01 42 /renamed\n")));
  EXPECT_FALSE(space_.has(range("1000-2000 r-xp 00000000 08:01 42 /a\n")));
  EXPECT_FALSE(space_.has(range("1000-3000 r-xp 00001000 08:01 42 /a\n")));
  EXPECT_FALSE(space_.has(range("1000-3000 r-xp 00000000 08:01 43 /a\n")));
  EXPECT_FALSE(space_.has(range("9000-a000 r-xp 00000000 08:01 42 /a\n")));
}

TEST_F(Space, changes_its_number_with_each_change_and_shares_it_with_none) {
  AddressSpace other;
  other.clear();
  space_.clear();
  EXPECT_NE(space_.generation(), other.generation());
  const uint64_t before = space_.generation();
  map("1000-3000 r-xp 00000000 00:00 0 /a\n");
  EXPECT_NE(space_.generation(), before);
  EXPECT_NE(space_.generation(), other.generation());
}

TEST_F(Space, knows_the_code_that_threads_begin_in) {
  map("1000-2000 r-xp 00000000 00:00 0 /lib/x86_64-linux-gnu/libc.so.6\n"
      "2000-3000 r-xp 00000000 00:00 0 /lib64/ld-linux-x86-64.so.2\n"
      "3000-4000 r-xp 00000000 00:00 0 /lib/ld-musl-x86_64.so.1\n"
      "4000-5000 r-xp 00000000 00:00 0 /opt/libc.so.d/app\n"
      "5000-6000 r-xp 00000000 00:00 0 /usr/lib/libcrypto.so\n");
  for (const uint64_t address : {0x1000, 0x2000, 0x3000}) EXPECT_TRUE(space_.is_libc(address)) << address;
  for (const uint64_t address : {0x4000, 0x5000, 0x9000}) EXPECT_FALSE(space_.is_libc(address)) << address;
}

TEST_F(Space, is_empty_when_cleared) {
  map("1000-3000 r-xp 00000000 00:00 0 /a\n");
  space_.clear();
  EXPECT_TRUE(space_.is_empty());
  EXPECT_EQ(at(0x1000), "?+1000");
}

}  // namespace
}  // namespace atys::capture::native
