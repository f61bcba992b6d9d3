// SPDX-License-Identifier: Apache-2.0
#include "symbolize/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>
#include <vector>

#include "support/compiled_program.h"

namespace atys::symbolize {
namespace {

Bytes bytes_of(size_t count, int value) { return Bytes(count, std::byte(value)); }

class DiskCacheTest : public testing::Test {
 protected:
  DiskCache open(uint64_t cap = 1 << 20) {
    auto cache = DiskCache::open(folder_.file("cache"), cap);
    EXPECT_TRUE(cache.ok());
    return cache.take();
  }
  size_t count_files() {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("cache"))) count += entry.is_regular_file();
    return count;
  }
  void set_age(const std::string& name, int seconds) {
    timespec times[2] = {{::time(nullptr) - seconds, 0}, {::time(nullptr) - seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, folder_.file("cache/" + name).c_str(), times, 0), 0);
  }
  test::BuildFolder folder_;
};

TEST_F(DiskCacheTest, gives_back_what_was_stored) {
  auto cache = open();
  ASSERT_TRUE(cache.store("symbols", "ab12", bytes_of(1000, 7)).ok());
  ASSERT_TRUE(cache.store("symbols", "ab13", {}).ok());
  auto again = open();
  EXPECT_EQ(again.load("symbols", "ab12"), bytes_of(1000, 7));
  EXPECT_EQ(again.load("symbols", "ab13"), Bytes());
  EXPECT_FALSE(again.load("rules", "ab12").has_value());
  EXPECT_FALSE(again.load("symbols", "ab14").has_value());
}

TEST_F(DiskCacheTest, takes_no_path_for_a_build_id) {
  auto cache = open();
  for (const char* id : {"", "../../x", "AB", "ab/cd", "ab.cd"}) {
    EXPECT_FALSE(cache.store("symbols", id, bytes_of(1, 1)).ok()) << id;
    EXPECT_FALSE(cache.load("symbols", id).has_value()) << id;
  }
  EXPECT_FALSE(cache.store("../x", "ab", bytes_of(1, 1)).ok());
}

TEST_F(DiskCacheTest, ignores_and_replaces_what_is_damaged) {
  auto cache = open();
  ASSERT_TRUE(cache.store("symbols", "ab12", bytes_of(100, 7)).ok());
  const std::string path = folder_.file("cache/ab12.symbols");
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(60).put('x');
  EXPECT_FALSE(cache.load("symbols", "ab12").has_value());
  ASSERT_TRUE(cache.store("symbols", "ab12", bytes_of(100, 8)).ok());
  EXPECT_EQ(cache.load("symbols", "ab12"), bytes_of(100, 8));
  for (const size_t length : {0u, 10u, 31u, 32u, 131u}) {
    std::filesystem::resize_file(path, length);
    EXPECT_FALSE(cache.load("symbols", "ab12").has_value()) << length;
  }
}

TEST_F(DiskCacheTest, refuses_a_sound_file_under_another_name) {
  auto cache = open();
  ASSERT_TRUE(cache.store("symbols", "ab12", bytes_of(100, 7)).ok());
  std::filesystem::rename(folder_.file("cache/ab12.symbols"), folder_.file("cache/ab13.symbols"));
  EXPECT_FALSE(cache.load("symbols", "ab13").has_value());
}

TEST_F(DiskCacheTest, does_not_follow_links_nor_wait_for_fifos) {
  auto cache = open();
  ASSERT_TRUE(cache.store("symbols", "ab12", bytes_of(100, 7)).ok());
  std::filesystem::create_symlink("ab12.symbols", folder_.file("cache/ab13.symbols"));
  EXPECT_FALSE(cache.load("symbols", "ab13").has_value());
  ASSERT_EQ(::mkfifo(folder_.file("cache/ab14.symbols").c_str(), 0600), 0);
  EXPECT_FALSE(cache.load("symbols", "ab14").has_value());
}

TEST_F(DiskCacheTest, does_not_believe_files_of_another_owner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  auto cache = open();
  ASSERT_TRUE(cache.store("symbols", "ab12", bytes_of(100, 7)).ok());
  ASSERT_EQ(::chown(folder_.file("cache/ab12.symbols").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache.load("symbols", "ab12").has_value());
}

TEST_F(DiskCacheTest, refuses_a_folder_that_others_may_write_into) {
  ASSERT_EQ(::mkdir(folder_.file("open").c_str(), 0700), 0);
  ASSERT_EQ(::chmod(folder_.file("open").c_str(), 0777), 0);
  EXPECT_FALSE(DiskCache::open(folder_.file("open"), 1000).ok());
}

TEST_F(DiskCacheTest, removes_the_least_recently_used_when_it_grows_over_its_cap) {
  auto cache = open(4000);
  for (const char* id : {"01", "02", "03"}) ASSERT_TRUE(cache.store("t", id, bytes_of(1000, 1)).ok());
  set_age("01.t", 300);
  set_age("02.t", 200);
  set_age("03.t", 100);
  ASSERT_TRUE(cache.load("t", "01").has_value());  // the oldest, but used now
  ASSERT_TRUE(cache.store("t", "04", bytes_of(1000, 1)).ok());
  EXPECT_TRUE(cache.load("t", "01").has_value());
  EXPECT_FALSE(cache.load("t", "02").has_value());
  EXPECT_TRUE(cache.load("t", "04").has_value());
  EXPECT_FALSE(cache.store("t", "05", bytes_of(5000, 1)).ok());
}

TEST_F(DiskCacheTest, clears_away_what_a_dead_writer_left) {
  auto cache = open();
  folder_.write("cache/unfinished-1-1", "half");
  folder_.write("cache/unfinished-1-2", "half");
  set_age("unfinished-1-1", 7200);
  ASSERT_TRUE(cache.store("t", "01", bytes_of(1000, 1)).ok());
  EXPECT_EQ(count_files(), 2u);  // the other may still be written
}

TEST_F(DiskCacheTest, serves_several_processes_at_once) {
  open();
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      auto cache = DiskCache::open(folder_.file("cache"), 20000);
      bool is_sound = cache.ok();
      for (int i = 0; is_sound && i < 200; ++i) {
        const std::string id = "0" + std::to_string(i % 10);
        const auto content = Bytes(1000, std::byte(i % 10));
        is_sound = cache->store("t", id, content).ok();
        if (const auto loaded = cache->load("t", id)) is_sound = is_sound && *loaded == content;
      }
      ::_exit(is_sound ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count_files(), 10u);
}

}  // namespace
}  // namespace atys::symbolize
