// SPDX-License-Identifier: Apache-2.0
#include "capture/target/target.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace atys::capture {
namespace {

using Strings = std::vector<std::string>;

// A child that names itself, listens on a port of its own and waits to be killed.
class ListeningChild {
 public:
  explicit ListeningChild(const char* name) {
    int answer[2];
    if (::pipe2(answer, O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::prctl(PR_SET_NAME, name);
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
      ::listen(fd, 1);
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
      const uint16_t port = ntohs(address.sin_port);
      [[maybe_unused]] const ssize_t put = ::write(answer[1], &port, sizeof port);
      while (true) ::pause();
    }
    [[maybe_unused]] const ssize_t got = ::read(answer[0], &port_, sizeof port_);
    ::close(answer[0]);
    ::close(answer[1]);
  }
  ListeningChild(const ListeningChild&) = delete;
  ListeningChild& operator=(const ListeningChild&) = delete;
  ~ListeningChild() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  uint16_t port() const { return port_; }

 private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

Result<std::vector<pid_t>> find_service(const std::string& rule) {
  return find_processes(ServiceTarget{TRY(ServiceRule::parse(rule))});
}

TEST(target, pids_are_found_once_and_in_order) {
  const ListeningChild child("atys-child");
  EXPECT_EQ(*find_processes(ProcessTarget{{child.pid(), ::getpid(), child.pid()}}),
            (std::vector<pid_t>{std::min(child.pid(), ::getpid()), std::max(child.pid(), ::getpid())}));
}

TEST(target, every_missing_pid_is_named) {
  const auto found = find_processes(ProcessTarget{{999'999'991, ::getpid(), 999'999'992}});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::NotFound);
  EXPECT_EQ(found.error().message, "no processes 999999991, 999999992");
  EXPECT_FALSE(find_processes(ProcessTarget{}).ok());
}

TEST(target, service_is_found_by_port_name_and_command) {
  const std::string name = "atys" + std::to_string(::getpid() % 100'000);
  const ListeningChild child(name.c_str());
  const std::vector<pid_t> expected{child.pid()};
  EXPECT_EQ(*find_service("port=" + std::to_string(child.port())), expected);
  EXPECT_EQ(*find_service(name), expected);
  EXPECT_EQ(*find_service(name + " port=" + std::to_string(child.port()) + " user=" + std::to_string(::geteuid())),
            expected);
}

TEST(target, unknown_service_names_those_that_are_near) {
  const std::string name = "zyatys" + std::to_string(::getpid() % 100'000);
  const ListeningChild child(name.c_str());
  const auto found = find_service(name + "x");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::NotFound);
  EXPECT_TRUE(found.error().hint.starts_with("did you mean " + name)) << found.error().hint;
}

TEST(target, is_described_in_words) {
  EXPECT_EQ(describe(ProcessTarget{{1, 2}}), "processes 1, 2");
  EXPECT_EQ(describe(CommandTarget{{"ls", "-l"}}), "command ls -l");
  EXPECT_EQ(describe(ServiceTarget{*ServiceRule::parse("port=80")}), "service port=80");
  EXPECT_EQ(describe(HostTarget{}), "the host");
  EXPECT_TRUE(find_processes(CommandTarget{{"ls"}})->empty());
  EXPECT_GT(find_processes(HostTarget{})->size(), 1u);
}

}  // namespace
}  // namespace atys::capture
