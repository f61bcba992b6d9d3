// SPDX-License-Identifier: Apache-2.0
#include "linux/open_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace atys::linux {
namespace {

FileKind kind_of(int descriptor) {
  const UniqueFd owned(descriptor);
  EXPECT_TRUE(owned.is_open());
  return open_file(::getpid(), owned.get()).kind;
}

TEST(open_file, is_of_a_kind) {
  EXPECT_EQ(kind_of(::open("/proc/self/exe", O_RDONLY)), FileKind::File);
  EXPECT_EQ(kind_of(::open("/", O_RDONLY)), FileKind::File);
  EXPECT_EQ(kind_of(::open("/dev/null", O_RDONLY)), FileKind::Unknown);
  EXPECT_EQ(kind_of(::posix_openpt(O_RDWR | O_NOCTTY)), FileKind::Terminal);
  EXPECT_EQ(kind_of(::eventfd(0, 0)), FileKind::Event);
  EXPECT_EQ(kind_of(::timerfd_create(CLOCK_MONOTONIC, 0)), FileKind::Timer);
  sigset_t none;
  sigemptyset(&none);
  EXPECT_EQ(kind_of(::signalfd(-1, &none, 0)), FileKind::Signals);
  EXPECT_EQ(kind_of(::socket(AF_UNIX, SOCK_STREAM, 0)), FileKind::UnixSocket);
  EXPECT_EQ(kind_of(::socket(AF_INET, SOCK_STREAM, 0)), FileKind::Socket);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(kind_of(ends[0]), FileKind::Pipe);
  EXPECT_EQ(kind_of(ends[1]), FileKind::Pipe);
  EXPECT_EQ(open_file(::getpid(), -1).kind, FileKind::Unknown);
  EXPECT_EQ(open_file(0x7ffffff0, 0).kind, FileKind::Unknown);
}

TEST(open_file, is_not_looked_up_again_if_it_is_the_same_socket) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  const OpenFile first = open_file(::getpid(), socket.get());
  OpenFile pretended = first;
  pretended.kind = FileKind::UnixSocket;
  EXPECT_EQ(open_file(::getpid(), socket.get(), pretended).kind, FileKind::UnixSocket);
  ++pretended.inode;
  EXPECT_EQ(open_file(::getpid(), socket.get(), pretended).kind, FileKind::Socket);
}

TEST(open_file, finds_a_socket_in_the_list_by_its_inode) {
  const char* list =
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "00000000a1b2c3d4: 00000002 00000000 00010000 0001 01 17391 /run/a 1 2 3 4 5 6 17392\n"
      "00000000a1b2c3d5: 00000003 00000000 00000000 0001 03 17400\n";
  EXPECT_TRUE(lists_unix_socket(list, 17391));
  EXPECT_TRUE(lists_unix_socket(list, 17400));
  EXPECT_FALSE(lists_unix_socket(list, 17392));
  EXPECT_FALSE(lists_unix_socket("", 0));
  EXPECT_FALSE(lists_unix_socket("a: b\n::::\n", 0));
}

}  // namespace
}  // namespace atys::linux
