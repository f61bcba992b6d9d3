// SPDX-License-Identifier: Apache-2.0
#include "linux/run_as.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/compiled_program.h"

namespace atys::linux {
namespace {

constexpr uid_t kUser = 12345;
constexpr gid_t kGroup = 23456;

TEST(run_as, gives_files_the_owner_and_leaves_us_what_we_were) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const test::BuildFolder folder;
  ASSERT_EQ(::chmod(folder.file("").c_str(), 0777), 0);
  const int dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  const std::string path = folder.file("made");
  const auto done = run_as(kUser, kGroup, [&]() -> Result<> {
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd < 0) return fail_errno("open");
    ::close(fd);
    return {};
  });
  ASSERT_TRUE(done.ok()) << done.error().message;
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, kUser);
  EXPECT_EQ(status.st_gid, kGroup);
  EXPECT_EQ(::geteuid(), 0u);
  EXPECT_EQ(::getegid(), 0u);
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), dumpable);
}

TEST(run_as, has_no_more_rights_than_that_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const test::BuildFolder folder;  // mode 0700, ours
  const auto done = run_as(kUser, kGroup, [&]() -> Result<> {
    if (::open(folder.file("x").c_str(), O_CREAT | O_WRONLY, 0600) < 0) return fail_errno("open");
    return {};
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::PermissionDenied);
}

TEST(run_as, stays_in_the_thread_where_nothing_changes) {
  const pid_t here = ::gettid();
  pid_t there = 0;
  const auto done = run_as(::geteuid(), ::getegid(), [&]() -> Result<> {
    there = ::gettid();
    return {};
  });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(here, there);
}

}  // namespace
}  // namespace atys::linux
