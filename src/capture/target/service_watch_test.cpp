// SPDX-License-Identifier: Apache-2.0
#include "capture/target/service_watch.h"

#include <gtest/gtest.h>

#include <csignal>
#include <ctime>

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

namespace atys::capture {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Says so on its own name, when told to.
class Child {
 public:
  Child() {
    int begin[2];
    EXPECT_EQ(::pipe(begin), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      char byte = 0;
      ::close(begin[1]);
      if (::read(begin[0], &byte, 1) != 1) ::_exit(0);
      ::execl("/bin/sleep", "sleep-of-service-watch", "100", nullptr);
      ::_exit(1);
    }
    ::close(begin[0]);
    begin_ = begin[1];
  }
  void exec() {
    EXPECT_EQ(::write(begin_, "x", 1), 1);
    for (int i = 0; i < 500; ++i) {
      const auto process = linux::read_process(pid_);
      if (process.ok() && !process->command_line.empty() && process->command_line[0] == "sleep-of-service-watch") return;
      ::usleep(10'000);
    }
    ADD_FAILURE() << "the child did not begin";
  }
  void end() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ended_ = true;
  }
  ~Child() {
    if (!ended_) end();
    ::close(begin_);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int begin_ = -1;
  bool ended_ = false;
};

}  // namespace

TEST(service_watch, sees_processes_that_become_part_of_the_service_and_that_end) {
  ServiceWatch watch(*ServiceRule::parse("command~sleep-of-service-watch"));
  const uint64_t now = clock_ns(CLOCK_BOOTTIME);
  EXPECT_TRUE(watch.look(now).empty());
  Child child;
  EXPECT_TRUE(watch.look(now + kSecond).empty());
  child.exec();
  EXPECT_EQ(watch.look(now + 2 * kSecond), std::vector<pid_t>{child.pid()});
  EXPECT_EQ(watch.look(now + 2 * kSecond + 1), std::vector<pid_t>{child.pid()});
  child.end();
  EXPECT_TRUE(watch.look(now + 3 * kSecond).empty());
}

TEST(service_watch, judges_the_young_at_each_look_and_the_old_every_five_minutes) {
  EXPECT_LE(ServiceWatch::judged_again_ns(100 * kSecond, 100 * kSecond), 100 * kSecond + kSecond / 2);
  EXPECT_EQ(ServiceWatch::judged_again_ns(100 * kSecond, 120 * kSecond), 125 * kSecond);
  EXPECT_EQ(ServiceWatch::judged_again_ns(0, 100000 * kSecond), 100300 * kSecond);
  EXPECT_GT(ServiceWatch::judged_again_ns(200 * kSecond, 100 * kSecond), 100 * kSecond);  // clocks that disagree
}

}  // namespace atys::capture
