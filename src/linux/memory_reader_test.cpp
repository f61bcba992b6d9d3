// SPDX-License-Identifier: Apache-2.0
#include "linux/memory_reader.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "support/fake_memory.h"

namespace atys::linux {
namespace {

class TwoPages {
 public:
  TwoPages() : at_(::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    ::mprotect(static_cast<char*>(at_) + kPage, kPage, PROT_NONE);
  }
  TwoPages(const TwoPages&) = delete;
  TwoPages& operator=(const TwoPages&) = delete;
  ~TwoPages() { ::munmap(at_, 2 * kPage); }

  static constexpr size_t kPage = 65536;  // a multiple of every page size
  char* end_of_first() const { return static_cast<char*>(at_) + kPage; }

 private:
  void* at_;
};

TEST(process_memory, reads_values_and_bytes_of_a_process) {
  const uint64_t number = 0x0123456789abcdef;
  const char text[] = "text";
  ProcessMemory memory(::getpid());
  EXPECT_EQ(memory.value_at<uint64_t>(reinterpret_cast<uint64_t>(&number)), number);
  EXPECT_EQ(memory.bytes_at(reinterpret_cast<uint64_t>(text), 4), "text");
  EXPECT_EQ(memory.bytes_at(reinterpret_cast<uint64_t>(text), 0), "");
}

TEST(process_memory, says_how_much_there_is_before_memory_ends) {
  const TwoPages pages;
  std::memcpy(pages.end_of_first() - 4, "last", 4);
  ProcessMemory memory(::getpid());
  const auto at = reinterpret_cast<uint64_t>(pages.end_of_first() - 4);
  char into[8] = {};
  EXPECT_EQ(memory.read(at, std::as_writable_bytes(std::span(into))), 4U);
  EXPECT_STREQ(into, "last");
  EXPECT_EQ(memory.value_at<uint64_t>(at), std::nullopt);
  EXPECT_EQ(memory.value_at<uint32_t>(at + 4), std::nullopt);
  EXPECT_EQ(memory.bytes_at(at, 5), std::nullopt);
}

TEST(process_memory, has_nothing_at_addresses_that_cannot_be) {
  ProcessMemory memory(::getpid());
  for (const uint64_t address : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 63})
    EXPECT_EQ(memory.value_at<uint64_t>(address), std::nullopt) << address;
}

TEST(fake_memory, ends_where_a_piece_ends) {
  test::FakeMemory memory;
  memory.map(0x1000, 16);
  memory.put<uint64_t>(0x1008, 7);
  EXPECT_EQ(memory.value_at<uint64_t>(0x1008), 7U);
  EXPECT_EQ(memory.value_at<uint64_t>(0x100c), std::nullopt);
  EXPECT_EQ(memory.value_at<uint8_t>(0x0fff), std::nullopt);
  EXPECT_EQ(memory.value_at<uint8_t>(0x1010), std::nullopt);
}

}  // namespace
}  // namespace atys::linux
