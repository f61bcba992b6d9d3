// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "fleet/spool_names.h"

namespace atys::fleet {

namespace fs = std::filesystem;

namespace {

class SpoolFolder : public testing::Test {
 protected:
  SpoolFolder() { fs::remove_all(folder_); }
  ~SpoolFolder() override { fs::remove_all(folder_); }
  Spool open(uint64_t most = 1 << 20) { return Spool::open(folder_, most).take(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_ = testing::TempDir() + "spool_test_" + std::to_string(::getpid());
};

uint64_t lost(const Spool& spool, DropReason why) { return spool.state().dropped_by[static_cast<size_t>(why)]; }
std::string oldest(Spool& spool) {
  const auto entry = spool.oldest();
  return entry.ok() && *entry ? (*entry)->window : "none";
}
void remove_oldest(Spool& spool) { spool.remove((*spool.oldest())->number); }

// Does not compress.
std::string noise(size_t bytes, uint32_t seed) {
  std::string text(bytes, 0);
  for (char& c : text) c = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return text;
}

// Every call of some kind fails.
class Trouble final : public FileCalls {
 public:
  ssize_t write(int fd, std::string_view bytes) override {
    errno = ENOSPC;
    return is_full ? -1 : FileCalls::write(fd, bytes);
  }
  int rename(const std::string& from, const std::string& to) override {
    errno = EROFS;
    return is_read_only ? -1 : FileCalls::rename(from, to);
  }
  bool is_full = false, is_read_only = false;
};

}  // namespace

TEST_F(SpoolFolder, gives_windows_in_the_order_in_which_they_came) {
  Spool spool = open();
  EXPECT_TRUE(spool.put("one").ok());
  EXPECT_TRUE(spool.put("two").ok());
  EXPECT_EQ(oldest(spool), "one");
  EXPECT_EQ(oldest(spool), "one");
  EXPECT_EQ((*spool.newest())->window, "two");
  remove_oldest(spool);
  EXPECT_EQ(oldest(spool), "two");
  remove_oldest(spool);
  EXPECT_EQ(oldest(spool), "none");
  EXPECT_FALSE(*spool.newest());
  EXPECT_EQ(spool.state().sent, 2u);
  EXPECT_EQ(spool.state().bytes, 0u);
}

TEST_F(SpoolFolder, an_agent_takes_up_what_the_last_one_left) {
  EXPECT_TRUE(open().put("one").ok());
  Spool spool = open();
  EXPECT_EQ(spool.state().windows, 1u);
  EXPECT_TRUE(spool.put("two").ok());
  EXPECT_EQ(oldest(spool), "one");
}

TEST_F(SpoolFolder, where_there_is_no_room_the_oldest_goes_and_is_counted) {
  Spool spool = open(10000);
  for (uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(spool.put(noise(3000, i)).ok());
  const Spool::State state = spool.state();
  EXPECT_LE(state.bytes, 10000u);
  EXPECT_EQ(state.windows + state.dropped, 10u);
  EXPECT_EQ(lost(spool, DropReason::NoRoom), state.dropped);
  EXPECT_EQ(oldest(spool), noise(3000, static_cast<uint32_t>(state.dropped)));
  EXPECT_FALSE(spool.put(noise(20000, 99)).ok());
  EXPECT_EQ(spool.state().windows + spool.state().dropped, 11u);
}

TEST_F(SpoolFolder, files_that_are_not_whole_are_let_go_and_counted) {
  EXPECT_TRUE(open().put("good").ok());
  std::ofstream(folder_ + "/000000000005.otlp.gz") << "not gzip";
  std::ofstream(folder_ + "/000000000009.otlp.gz.part") << "half";
  fs::create_directories(folder_ + "/000000000008.otlp.gz");
  Spool spool = open();
  EXPECT_EQ(spool.state().windows, 2u);
  EXPECT_EQ(oldest(spool), "good");
  EXPECT_FALSE(fs::exists(folder_ + "/000000000009.otlp.gz.part"));
  remove_oldest(spool);
  EXPECT_EQ(oldest(spool), "none");
  EXPECT_EQ(lost(spool, DropReason::Unreadable), 1u);
}

TEST_F(SpoolFolder, a_machine_that_cannot_read_now_loses_nothing) {
  Spool spool = open();
  EXPECT_TRUE(spool.put("one").ok());
  // Any trouble but a file that is gone: a link that leads to itself cannot be opened.
  const std::string path = folder_ + "/" + files().front();
  fs::rename(path, folder_ + "/aside");
  fs::create_symlink(path, path);
  EXPECT_FALSE(spool.oldest().ok());
  fs::remove(path);
  fs::rename(folder_ + "/aside", path);
  EXPECT_EQ(oldest(spool), "one");
  EXPECT_EQ(spool.state().dropped, 0u);
}

TEST_F(SpoolFolder, a_disk_that_takes_nothing_is_told_and_leaves_nothing_half_done) {
  Trouble disk;
  Spool spool = Spool::open(folder_, 1 << 20, disk).take();
  disk.is_full = true;
  const Result<> full = spool.put("one");
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().message.find("No space"), std::string::npos) << full.error().message;
  disk = Trouble();
  disk.is_read_only = true;
  EXPECT_FALSE(spool.put("two").ok());
  EXPECT_EQ(lost(spool, DropReason::Unwritable), 2u);
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(SpoolFolder, what_is_prepared_is_there_only_once_it_is_committed) {
  Spool spool = open();
  { auto given_up = spool.prepare("one"); }
  EXPECT_EQ(files(), std::vector<std::string>{});
  auto pending = spool.prepare("two");
  ASSERT_TRUE(pending.ok());
  EXPECT_EQ(oldest(spool), "none");
  ASSERT_TRUE(spool.commit(pending.take()).ok());
  EXPECT_EQ(oldest(spool), "two");
  EXPECT_EQ(spool.state().dropped, 0u);
}

TEST_F(SpoolFolder, times_are_settled_once_and_for_good) {
  const ClockStamp stamp{"1a2b3c4d", -5'000};
  {
    Spool spool = open();
    EXPECT_TRUE(spool.put("of a wrong clock", stamp).ok());
    EXPECT_TRUE(spool.put("of a right clock", stamp).ok());
  }
  Spool spool = open();
  auto first = spool.oldest().take();
  EXPECT_EQ(first->stamp, stamp);
  const std::string put_right = "put right";
  ASSERT_TRUE(spool.settle(first->number, &put_right).ok());
  ASSERT_TRUE(spool.settle(first->number + 1, nullptr).ok());
  EXPECT_EQ(files(), (std::vector<std::string>{"000000000001.otlp.gz", "000000000002.otlp.gz"}));
  for (Spool* each : {&spool, new Spool(open())}) {
    EXPECT_EQ(oldest(*each), "put right");
    EXPECT_FALSE((*each->oldest())->stamp);
    EXPECT_EQ((*each->after(1))->window, "of a right clock");
    EXPECT_EQ(each->state().windows, 2u);
    if (each != &spool) delete each;
  }
  uint64_t bytes = 0;
  for (const std::string& file : files()) bytes += fs::file_size(folder_ + "/" + file);
  EXPECT_EQ(spool.state().bytes, bytes);
}

TEST_F(SpoolFolder, an_end_in_the_midst_of_settling_leaves_one_window) {
  const ClockStamp stamp{"1a2b3c4d", 7};
  EXPECT_TRUE(open().put("of a wrong clock", stamp).ok());
  {
    Spool other = Spool::open(folder_ + "-other", 1 << 20).take();
    EXPECT_TRUE(other.put("put right").ok());
  }
  fs::rename(folder_ + "-other/000000000001.otlp.gz", folder_ + "/000000000001.otlp.gz");
  fs::remove_all(folder_ + "-other");
  Spool spool = open();
  EXPECT_EQ(spool.state().windows, 1u);
  EXPECT_EQ(oldest(spool), "put right");
  EXPECT_EQ(files(), std::vector<std::string>{"000000000001.otlp.gz"});
}

TEST_F(SpoolFolder, is_of_this_user_alone) {
  fs::create_directories(folder_);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_TRUE(open().put("one").ok());
  struct stat state {};
  ASSERT_EQ(::stat(folder_.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 07777, 0700u);
  ASSERT_EQ(::stat((folder_ + "/" + files().front()).c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 07777, 0600u);
}

TEST_F(SpoolFolder, a_folder_that_cannot_be_is_an_error) {
  std::ofstream(folder_) << "a file";
  EXPECT_FALSE(Spool::open(folder_ + "/below", 1000).ok());
}

TEST(spool_names, are_read_as_they_are_written_and_no_others_are) {
  for (const SpoolName& name : {SpoolName{42, {}}, SpoolName{1, ClockStamp{"00ff", -3}}, SpoolName{7, ClockStamp{"a", 5}}})
    EXPECT_EQ(parse_spool_name(to_string(name)), name) << to_string(name);
  for (const char* text : {"", ".otlp.gz", "x.otlp.gz", "1.otlp", "1.ff.otlp.gz", "1.FF.2.otlp.gz", "1.ff.2.3.otlp.gz",
                           "1..2.otlp.gz", "1.ff..otlp.gz", "1.otlp.gz.part"})
    EXPECT_FALSE(parse_spool_name(text)) << text;
}

}  // namespace atys::fleet
