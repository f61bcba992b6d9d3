// SPDX-License-Identifier: Apache-2.0
#include "linux/memory_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "linux/proc_maps.h"
#include "support/fake_memory.h"
#include "support/refused_calls.h"

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

const uint64_t kNumber = 0x6d656d6f72792e2e;

// Where the first file of a process is mapped: its program.
uint64_t mapped_program(pid_t pid) {
  const auto maps = read_maps(pid);
  return maps.ok() && !maps->empty() ? maps->front().start : 0;
}

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

// As in containers whose filter refuses process_vm_readv, with either error.
class ProcessMemoryBehindAFilter : public testing::TestWithParam<int> {};

TEST_P(ProcessMemoryBehindAFilter, reads_what_there_is_and_no_more) {
  const TwoPages pages;
  ::munmap(pages.end_of_first(), TwoPages::kPage);
  std::memcpy(pages.end_of_first() - 8, "the last", 8);
  const auto at = reinterpret_cast<uint64_t>(pages.end_of_first() - 8);
  EXPECT_TRUE(test::holds_without({SYS_process_vm_readv}, GetParam(), [&] {
    char into[16] = {};
    const auto bytes = std::as_writable_bytes(std::span(into));
    ProcessMemory memory(::getpid());
    const bool is_read = memory.bytes_at(at, 8) == "the last" && read_remote_memory(::getpid(), at, bytes.first(8)) == 8;
    const bool ends_there =
        memory.read(at + 2, bytes) == 6 && std::string(into, 6) == "e last" && memory.read(at + 8, bytes) == 0;
    const bool has_nothing = !memory.value_at<uint64_t>(0) && !memory.value_at<uint64_t>(~uint64_t{0});
    return is_read && ends_there && has_nothing && memory.bytes_at(at, 8) == "the last";
  }));
}

TEST_P(ProcessMemoryBehindAFilter, reads_pieces_until_one_is_not_there) {
  const uint64_t numbers[] = {7, 8, 9};
  EXPECT_TRUE(test::holds_without({SYS_process_vm_readv}, GetParam(), [&] {
    uint64_t into[3] = {};
    const auto piece = [&](size_t i, uint64_t address) {
      return MemoryReader::Piece{address, std::as_writable_bytes(std::span(into).subspan(i, 1))};
    };
    const auto address = [&](size_t i) { return reinterpret_cast<uint64_t>(&numbers[i]); };
    ProcessMemory memory(::getpid());
    const MemoryReader::Piece all[] = {piece(0, address(2)), piece(1, address(0)), piece(2, address(1))};
    const MemoryReader::Piece broken[] = {piece(0, address(1)), piece(1, 8), piece(2, address(0))};
    return memory.read_pieces(all) == 3 && into[0] == 9 && into[1] == 7 && into[2] == 8 && memory.read_pieces(broken) == 1 &&
           into[0] == 8;
  }));
}

// The file of a program that was replaced is empty.
TEST_P(ProcessMemoryBehindAFilter, follows_a_process_into_its_next_program) {
  const uint64_t place = reinterpret_cast<uint64_t>(&kNumber);
  EXPECT_TRUE(test::holds_without({SYS_process_vm_readv}, GetParam(), [&] {
    int begin[2], begun[2];
    if (::pipe(begin) != 0 || ::pipe2(begun, O_CLOEXEC) != 0) return false;
    const pid_t child = ::fork();
    if (child == 0) {
      char word = 0;
      if (::read(begin[0], &word, 1) == 1) ::execl("/bin/sleep", "sleep", "60", nullptr);
      ::_exit(1);
    }
    ProcessMemory memory(child);
    const bool was_read = memory.value_at<uint64_t>(place) == kNumber;
    ::close(begun[1]);
    char word = 'x';
    const bool has_begun = ::write(begin[1], &word, 1) == 1 && ::read(begun[0], &word, 1) == 0;
    const auto program = mapped_program(child);
    const bool follows = memory.bytes_at(program, 4) == "\177ELF";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return was_read && has_begun && follows;
  }));
}

INSTANTIATE_TEST_SUITE_P(errors, ProcessMemoryBehindAFilter, testing::Values(EPERM, ENOSYS));

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
