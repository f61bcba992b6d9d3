// SPDX-License-Identifier: Apache-2.0
#include "linux/perf_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace atys::linux {

namespace {

namespace fs = std::filesystem;

class OwnPerfMap : public testing::Test {
 protected:
  void SetUp() override { fs::remove(path_); }
  void TearDown() override { fs::remove(path_); }
  void write() { std::ofstream(path_) << "1000 10 made_at_run_time\n"; }
  // "none", "good", or why it is not.
  std::string verdict() {
    const auto found = PerfMapPlace::find(::getpid()).take().look();
    return found.ok() ? (*found ? "good" : "none") : found.error().message;
  }
  std::string path_ = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
};

}  // namespace

TEST_F(OwnPerfMap, is_found_where_the_process_writes_it) {
  EXPECT_EQ(verdict(), "none");
  EXPECT_FALSE(has_perf_map(::getpid()));
  write();
  EXPECT_EQ(verdict(), "good");
  EXPECT_TRUE(has_perf_map(::getpid()));
  EXPECT_EQ(PerfMapPlace::find(::getpid())->path(), path_);
}

TEST_F(OwnPerfMap, says_nothing_while_it_is_empty) {
  std::ofstream{path_};
  EXPECT_EQ(verdict(), "good");
  EXPECT_FALSE(has_perf_map(::getpid()));
}

TEST_F(OwnPerfMap, is_not_that_of_an_earlier_process_of_its_number) {
  write();
  fs::last_write_time(path_, fs::file_time_type::clock::now() - std::chrono::hours(24));
  EXPECT_EQ(verdict(), path_ + " is older than the process: an earlier one of that number left it");
  EXPECT_FALSE(has_perf_map(::getpid()));
}

TEST_F(OwnPerfMap, is_no_link_no_fifo_and_has_one_name) {
  fs::create_symlink("/etc/passwd", path_);
  EXPECT_EQ(verdict(), path_ + " is a symbolic link");
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(verdict(), path_ + " is not a regular file");
  fs::remove(path_);
  write();
  fs::create_hard_link(path_, path_ + ".other");
  EXPECT_EQ(verdict(), path_ + " has a second name");
  fs::remove(path_ + ".other");
}

TEST_F(OwnPerfMap, is_of_the_process_s_user_or_of_root) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  write();
  ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(verdict(), path_ + " belongs to user 12345, not to the process's user 0");
}

TEST(perf_map, of_a_process_that_is_not_there_is_an_error) {
  EXPECT_FALSE(PerfMapPlace::find(999'999'999).ok());
  EXPECT_FALSE(has_perf_map(999'999'999));
}

}  // namespace atys::linux
