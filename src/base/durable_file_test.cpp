// SPDX-License-Identifier: Apache-2.0
#include "base/durable_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

namespace atys {

namespace fs = std::filesystem;

namespace {

struct PowerCut {};

// A disk that keeps what it was told to keep: content that was synced, under names whose folder was synced. Everything else
// is gone when the power is cut, as after a call that has not been made yet.
class Disk final : public FileCalls {
 public:
  explicit Disk(int calls_left) : calls_left_(calls_left) {}

  int open(const std::string& path, int flags, mode_t) override {
    count();
    const bool is_folder = (flags & O_DIRECTORY) != 0;
    if (!is_folder) now_[path] = next_file_++;
    open_[next_fd_] = is_folder ? Open{path, -1} : Open{path, now_[path]};
    return next_fd_++;
  }
  ssize_t write(int fd, std::string_view bytes) override {
    count();
    const std::string_view half = bytes.substr(0, bytes.size() / 2 + 1);
    content_[open_.at(fd).file] += half;
    return static_cast<ssize_t>(half.size());
  }
  int fsync(int fd) override {
    count();
    if (const Open& one = open_.at(fd); one.file >= 0)
      synced_[one.file] = content_[one.file];
    else
      names_on_disk_ = now_;
    return 0;
  }
  int close(int fd) override {
    open_.erase(fd);
    return 0;
  }
  int rename(const std::string& from, const std::string& to) override {
    count();
    now_[to] = now_.at(from);
    now_.erase(from);
    return 0;
  }
  int unlink(const std::string& path) override {
    now_.erase(path);
    return 0;
  }

  // After the power is back; a file whose content never came to disk is empty.
  std::optional<std::string> read(const std::string& path) {
    const auto name = names_on_disk_.find(path);
    return name == names_on_disk_.end() ? std::nullopt : std::optional(synced_[name->second]);
  }
  // A disk that writes names whenever it likes.
  void write_names_early() { names_on_disk_ = now_; }

 private:
  struct Open {
    std::string path;
    int file = -1;
  };
  void count() {
    if (calls_left_-- == 0) throw PowerCut();
  }

  int calls_left_;
  int next_fd_ = 3, next_file_ = 0;
  std::map<int, Open> open_;
  std::map<int, std::string> content_, synced_;
  std::map<std::string, int> now_, names_on_disk_;
};

constexpr const char* kText = "a window of ten seconds";

bool is_written(Disk& disk) {
  try {
    return write_synced("spool/1.part", kText, disk).ok() && rename_synced("spool/1.part", "spool/1", disk).ok();
  } catch (const PowerCut&) {
    return false;
  }
}

class Folder : public testing::Test {
 protected:
  Folder() { fs::remove_all(path_), fs::create_directories(path_); }
  ~Folder() override { fs::remove_all(path_); }
  std::string path_ = testing::TempDir() + "durable_file_" + std::to_string(::getpid());
};

mode_t mode_of(const std::string& path) {
  struct stat state {};
  ::stat(path.c_str(), &state);
  return state.st_mode & 07777;
}

}  // namespace

TEST(durable_file, whatever_the_call_at_which_the_power_is_cut_it_is_there_whole_or_not_at_all) {
  int cuts = 0;
  for (;; ++cuts) {
    for (const bool is_early : {false, true}) {
      Disk disk(cuts);
      const bool returned = is_written(disk);
      if (is_early) disk.write_names_early();
      const std::optional<std::string> left = disk.read("spool/1");
      EXPECT_EQ(left.value_or(kText), kText) << "cut at call " << cuts;
      ASSERT_TRUE(left.has_value() || !returned) << "it returned, and the file is gone";
      if (returned && is_early) {
        EXPECT_GE(cuts, 6) << "open, write, fsync, rename, open, fsync";
        return;
      }
    }
  }
}

TEST_F(Folder, what_cannot_be_written_leaves_nothing_behind) {
  class Full final : public FileCalls {
    ssize_t write(int, std::string_view) override {
      errno = ENOSPC;
      return -1;
    }
  } full;
  const Result<> written = write_synced(path_ + "/1.part", "text", full);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("No space"), std::string::npos) << written.error().message;
  EXPECT_TRUE(fs::is_empty(path_));
}

TEST_F(Folder, private_folders_are_made_so_also_where_they_were_not) {
  ASSERT_TRUE(make_private_folder(path_ + "/a/b").ok());
  EXPECT_EQ(mode_of(path_ + "/a/b"), 0700u);
  ASSERT_EQ(::chmod((path_ + "/a/b").c_str(), 0755), 0);
  ASSERT_TRUE(make_private_folder(path_ + "/a/b").ok());
  EXPECT_EQ(mode_of(path_ + "/a/b"), 0700u);
  std::ofstream(path_ + "/file") << "x";
  EXPECT_FALSE(make_private_folder(path_ + "/file").ok());
}

TEST_F(Folder, unfinished_files_of_the_killed_are_removed_and_no_others) {
  for (const char* name : {"orders.bin", "orders.bin.aB3xY9", "orders.bin.long-name", "orders.binary"})
    std::ofstream(path_ + "/" + name) << "x";
  remove_unfinished(path_ + "/orders.bin");
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(path_)) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"orders.bin", "orders.binary", "orders.bin.long-name"}));
}

}  // namespace atys
