// SPDX-License-Identifier: Apache-2.0
#include "capture/java/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/byte_source.h"

namespace atys::capture::java {
namespace {

linux::ProcessInfo self() { return *linux::read_process(::getpid()); }

TEST(private_folder, holds_files_and_vanishes_with_them) {
  std::string path;
  {
    auto folder = PrivateFolder::create(self());
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    path = std::filesystem::path(folder->path("made.txt")).parent_path();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    const auto library = folder->add("library.so", as_byte_span("content"));
    ASSERT_TRUE(library.ok()) << library.error().message;
    EXPECT_TRUE(std::filesystem::exists(*library));
    std::ofstream(path + "/made.txt") << "0123456789";
    EXPECT_EQ(as_text(*folder->read("made.txt", 4, 100)), "456789");
    EXPECT_EQ(folder->read("made.txt", 0, 9).error().code, ErrorCode::ResourceExhausted);
    EXPECT_FALSE(folder->read("made.txt", 11, 9).ok());
    EXPECT_EQ(folder->take_text("made.txt"), "0123456789");
    EXPECT_EQ(folder->take_text("made.txt"), "");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(private_folder, does_not_follow_links_nor_wait_for_fifos) {
  auto folder = PrivateFolder::create(self());
  ASSERT_TRUE(folder.ok());
  ASSERT_EQ(::symlink("/etc/passwd", folder->path("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(folder->path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(folder->read("link", 0, 1 << 20).ok());
  EXPECT_EQ(folder->read("fifo", 0, 1 << 20).error().code, ErrorCode::PermissionDenied);
}

TEST(private_folder, of_another_user_belongs_to_that_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  linux::ProcessInfo other = self();
  other.uid = 12345;
  other.gid = 12345;
  auto folder = PrivateFolder::create(other);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const auto path = folder->add("library.so", as_byte_span("content"));
  ASSERT_TRUE(path.ok());
  struct stat status {};
  ASSERT_EQ(::stat(path->c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
}

}  // namespace
}  // namespace atys::capture::java
