// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/pipe.h"

namespace atys {

namespace {

// A file without a name.
UniqueFd scratch_file() {
  char path[] = "/tmp/atys-test-XXXXXX";
  UniqueFd fd(::mkostemp(path, O_CLOEXEC));
  ::unlink(path);
  return fd;
}

}  // namespace

// A pipe takes 64 KiB at a time, and a reader sees the pieces.
TEST(descriptor_io, moves_everything_through_a_pipe_that_holds_less) {
  Pipe pipe = make_pipe().take();
  std::string bytes(300'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  bool is_written = false;
  std::thread writer([&] {
    is_written = write_all(pipe.write.get(), bytes);
    pipe.write.reset();
  });
  std::string first(200'000, '\0');
  EXPECT_EQ(read_all(pipe.read.get(), std::span(first)), first.size());
  const Result<std::string> rest = read_to_end(pipe.read.get(), bytes.size(), "the pipe");
  writer.join();
  EXPECT_TRUE(is_written);
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(first + *rest, bytes);
}

TEST(descriptor_io, goes_on_after_a_signal_and_after_a_part) {
  std::vector<std::string> asked;
  const bool is_done = write_all_by("abcdef", [&](std::string_view left, size_t done) -> ssize_t {
    asked.push_back(std::to_string(done) + std::string(left));
    errno = EINTR;
    return asked.size() % 2 == 1 ? -1 : 4;
  });
  EXPECT_TRUE(is_done);
  EXPECT_EQ(asked, (std::vector<std::string>{"0abcdef", "0abcdef", "4ef", "4ef"}));
}

TEST(descriptor_io, says_that_it_failed) {
  EXPECT_FALSE(write_all(-1, "x"));
  EXPECT_EQ(errno, EBADF);
  EXPECT_FALSE(write_all_by("x", [](std::string_view, size_t) -> ssize_t { return 0; }));
  EXPECT_EQ(errno, EIO);
  std::array<char, 1> byte{};
  EXPECT_FALSE(read_all(-1, byte));
  EXPECT_FALSE(read_to_end(-1, 10, "nothing").ok());
}

TEST(descriptor_io, reads_and_writes_at_a_place_and_says_where_the_end_is) {
  const UniqueFd file = scratch_file();
  ASSERT_TRUE(write_all_at(file.get(), "hello", 3));
  std::array<char, 8> bytes{};
  EXPECT_EQ(read_all_at(file.get(), bytes, 4), 4u);
  EXPECT_EQ(std::string_view(bytes.data(), 4), "ello");
  EXPECT_EQ(read_all_at(file.get(), bytes, 100), 0u);
}

TEST(descriptor_io, more_than_the_most_is_an_error) {
  const UniqueFd file = scratch_file();
  ASSERT_TRUE(write_all(file.get(), std::string(5000, 'x')));
  ::lseek(file.get(), 0, SEEK_SET);
  const Result<std::string> too_much = read_to_end(file.get(), 4999, "it");
  ASSERT_FALSE(too_much.ok());
  EXPECT_EQ(too_much.error().message, "it: larger than 4999 bytes");
  ::lseek(file.get(), 0, SEEK_SET);
  const Result<std::string> all = read_to_end(file.get(), 5000, "it");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), 5000u);
}

}  // namespace atys
