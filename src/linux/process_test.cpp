// SPDX-License-Identifier: Apache-2.0
#include "linux/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <latch>
#include <thread>

#include "linux/proc_text.h"

namespace atys::linux {
namespace {

constexpr const char* kStatTail =
    " R 7 1 1 0 -1 4194304 98 0 0 0 12 30 0 0 20 0 1 0 1192985 3133440 414 18446744073709551615";

// A copy of /bin/sleep under a name of our choice, so that it can be taken away while it runs.
class SleepingChild {
 public:
  SleepingChild(const std::string& executable, std::vector<std::string> environment) {
    int ready[2];
    if (::pipe2(ready, O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      std::vector<char*> variables;
      for (std::string& variable : environment) variables.push_back(variable.data());
      variables.push_back(nullptr);
      char* arguments[] = {const_cast<char*>("sleeper"), const_cast<char*>("1000"), nullptr};
      ::execve(executable.c_str(), arguments, variables.data());
      ::_exit(127);
    }
    // The pipe closes when the child has become the other program.
    ::close(ready[1]);
    char byte = 0;
    while (::read(ready[0], &byte, 1) > 0) continue;
    ::close(ready[0]);
  }
  SleepingChild(const SleepingChild&) = delete;
  SleepingChild& operator=(const SleepingChild&) = delete;
  ~SleepingChild() { end(); }
  pid_t pid() const { return pid_; }
  void kill_and_leave_zombie() const {
    ::kill(pid_, SIGKILL);
    siginfo_t info;
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

TEST(process_stat, takes_names_with_brackets_and_blanks) {
  for (const std::string name : {"cat", "a) R 1 2 (b", "(sd-pam)", "", "new\nline"}) {
    const auto stat = parse_stat("42 (" + name + ")" + kStatTail);
    ASSERT_TRUE(stat.ok()) << name;
    EXPECT_EQ(stat->comm, name);
    EXPECT_EQ(stat->state, 'R');
    EXPECT_EQ(stat->parent, 7);
    EXPECT_EQ(stat->cpu_ticks, 42u);
    EXPECT_EQ(stat->start_time_ticks, 1192985u);
  }
}

TEST(process_stat, refuses_what_is_no_stat_file) {
  for (const std::string text :
       {"", "42", "42 (", "42 )(", "42 (x)", "42 (x) R 1 2 3", "42 (x) R a 1 1 0 -1 4 9 0 0 0 1 3 0 0 2 0 1 0 119 3 4"})
    EXPECT_FALSE(parse_stat(text).ok()) << text;
}

TEST(process_cgroup, prefers_what_says_most) {
  EXPECT_EQ(parse_cgroup("0::/user.slice/a.scope\n"), "/user.slice/a.scope");
  EXPECT_EQ(parse_cgroup("4:memory:/m\n2:cpu,cpuacct:/c\n0::/\n"), "/c");
  EXPECT_EQ(parse_cgroup("4:memory:/m\n2:cpuset:/s\n0::/\n"), "/m");
  EXPECT_EQ(parse_cgroup("4:memory:/m\n2:cpu:/c\n0::/u:v\n"), "/u:v");
  EXPECT_EQ(parse_cgroup("1:cpu:/\n0::/\n"), "/");
  EXPECT_EQ(parse_cgroup("nonsense"), "");
}

TEST(process, is_read_whole) {
  const auto self = read_process(::getpid());
  ASSERT_TRUE(self.ok());
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_EQ(self->uid, ::geteuid());
  EXPECT_EQ(self->gid, ::getegid());
  EXPECT_EQ(self->state, 'R');
  EXPECT_FALSE(self->command_line.empty());
  EXPECT_EQ(self->executable, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_FALSE(self->is_executable_deleted);
  EXPECT_EQ(self->comm, *thread_name(::getpid(), ::getpid()));
  EXPECT_TRUE(self->cgroup.starts_with('/'));
  EXPECT_GT(self->cpu_time_ns, 0u);
  EXPECT_TRUE(std::ranges::count(list_processes(), ::getpid()) == 1);
}

TEST(process, that_is_new_has_the_newest_number) {
  const pid_t before = newest_number();
  ASSERT_GT(before, 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_NE(newest_number(), before);
  ::waitpid(child, nullptr, 0);
}

TEST(process, that_runs_is_counted) {
  EXPECT_GE(running_count(), 1u);  // this one
}

TEST(process, that_is_not_there_is_named) {
  const auto none = read_process(999'999'999);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_NE(none.error().message.find("999999999"), std::string::npos);
  EXPECT_FALSE(list_threads(999'999'999).ok());
  EXPECT_FALSE(cpu_time_ns(999'999'999).ok());
}

TEST(process, keeps_the_name_of_an_executable_that_was_taken_away) {
  const std::string path = testing::TempDir() + "atys_sleeper_" + std::to_string(::getpid());
  std::filesystem::copy_file("/bin/sleep", path, std::filesystem::copy_options::overwrite_existing);
  SleepingChild child(path, {"COLOUR=blue", "EMPTY="});
  std::filesystem::remove(path);
  const auto process = read_process(child.pid());
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(process->executable, path);
  EXPECT_TRUE(process->is_executable_deleted);
  EXPECT_EQ(process->command_line, (std::vector<std::string>{"sleeper", "1000"}));
  EXPECT_EQ(process->parent, ::getpid());
  EXPECT_EQ(*read_environment(child.pid()), (std::vector<std::string>{"COLOUR=blue", "EMPTY="}));
}

TEST(process, is_alive_only_while_it_is_the_same) {
  SleepingChild child("/bin/sleep", {});
  const uint64_t start = read_process(child.pid())->start_time_ticks;
  EXPECT_TRUE(is_alive(child.pid(), start));
  EXPECT_FALSE(is_alive(child.pid(), start + 1));
  child.kill_and_leave_zombie();
  EXPECT_FALSE(is_alive(child.pid(), start));
  EXPECT_EQ(read_process(child.pid())->state, 'Z');
  const pid_t pid = child.pid();
  child.end();
  EXPECT_FALSE(is_alive(pid, start));
}

TEST(threads, are_listed_with_their_names) {
  std::latch started(2);
  std::latch finish(1);
  pid_t tid = 0;
  std::thread thread([&] {
    tid = static_cast<pid_t>(::syscall(SYS_gettid));
    ::pthread_setname_np(::pthread_self(), "the other");
    started.arrive_and_wait();
    finish.wait();
  });
  started.arrive_and_wait();
  const auto threads = list_threads(::getpid());
  ASSERT_TRUE(threads.ok());
  EXPECT_EQ(std::ranges::count(*threads, tid), 1);
  EXPECT_EQ(std::ranges::count(*threads, ::getpid()), 1);
  EXPECT_EQ(*thread_name(::getpid(), tid), "the other");
  EXPECT_EQ(*process_of_thread(tid), ::getpid());
  const auto as_process = read_process(tid);
  ASSERT_FALSE(as_process.ok());
  EXPECT_EQ(as_process.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(as_process.error().message.find(std::to_string(::getpid())), std::string::npos);
  finish.count_down();
  thread.join();
}

TEST(cpu_time, keeps_that_of_threads_that_ended) {
  const uint64_t before = *cpu_time_ns(::getpid());
  uint64_t used = 0;
  std::thread([&] {
    timespec time{};
    while (used < 20'000'000) {
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      used = static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
    }
  }).join();
  EXPECT_GE(*cpu_time_ns(::getpid()), before + used);
}

TEST(proc_text, splits_without_losing_anything) {
  EXPECT_EQ(split_zero_ended(std::string_view("a\0\0b", 4)), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(value_of("Name:\tx\nUid:\t1\t2\n", "Uid"), "1\t2");
  EXPECT_EQ(value_of("NSpidX: 1\nNSpid:\n", "NSpid"), "");
  EXPECT_EQ(parse_number<int>(" 12\n"), 12);
  EXPECT_EQ(parse_number<int>("12x"), std::nullopt);
  EXPECT_EQ(parse_number<uint16_t>("65536"), std::nullopt);
}

TEST(process, a_thread_that_asks_runs_and_one_that_is_gone_has_no_state) {
  const auto state = thread_state(::getpid(), ::gettid());
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(*state, 'R');
  EXPECT_FALSE(thread_state(::getpid(), 0).ok());
}

}  // namespace
}  // namespace atys::linux
