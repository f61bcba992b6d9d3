// SPDX-License-Identifier: Apache-2.0
// Threads that wait in known ways, seen from outside: the functions that they wait in and what they wait for. Compiled with
// and without frame pointers, with and without optimization; as the user that the test runs as and, if that is root, as an
// ordinary one.
#include "capture/native/still_thread.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "capture/native/no_source.h"
#include "capture/native/profile_builder.h"
#include "linux/process.h"
#include "support/compiled_program.h"
#include "support/profile_text.h"
#include "support/waiting_program.h"

namespace atys::capture::native {
namespace {

constexpr const char* kProgram = R"(
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#define ALONE extern "C" __attribute__((noinline))
volatile long sink;
int ends[2], pair[2];
std::mutex held, mine;
std::condition_variable never;
// What returned functions leave on the stack.
ALONE int leave_frames(int depth) {
  volatile char room[200];
  memset((char*)room, depth, sizeof room);
  return depth == 0 ? 1 : leave_frames(depth - 1) + room[depth];
}
ALONE void in_sleep() { sleep(1000); ++sink; }
ALONE void in_nanosleep() { timespec t{1000, 0}; nanosleep(&t, nullptr); ++sink; }
ALONE void in_pipe() { char room[5000]; sink += read(ends[0], room, sizeof room); }
ALONE void in_socket() { char byte; sink += recv(pair[0], &byte, 1, 0); }
ALONE void in_poll() { pollfd p{pair[0], POLLIN, 0}; sink += poll(&p, 1, -1); }
ALONE void in_epoll() { epoll_event e; sink += epoll_wait(epoll_create1(0), &e, 1, -1); }
ALONE void in_mutex() { held.lock(); ++sink; }
ALONE void in_condition() { std::unique_lock<std::mutex> l(mine); never.wait(l, [] { return false; }); ++sink; }
ALONE void in_accept() { int s = socket(AF_INET, SOCK_STREAM, 0); listen(s, 1); sink += accept(s, nullptr, nullptr); }
ALONE void in_event() { uint64_t v; sink += read(eventfd(0, 0), &v, sizeof v); }
ALONE void in_timer() { uint64_t v; sink += read(timerfd_create(CLOCK_MONOTONIC, 0), &v, sizeof v); }
ALONE void in_child() { pid_t c = fork(); if (c == 0) for (;;) pause(); sink += waitpid(c, nullptr, 0); }
ALONE void in_signal() { pause(); ++sink; }
ALONE void begin(void (*wait)()) { sink += leave_frames(6); wait(); ++sink; }
void* start(void* wait) { begin((void (*)())wait); return nullptr; }
int main() {
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  held.lock();
  void (*all[])() = {in_sleep, in_nanosleep, in_pipe, in_socket, in_poll, in_epoll, in_mutex, in_condition,
                     in_accept, in_event, in_timer, in_child, in_signal};
  pthread_t thread;
  for (auto wait : all) pthread_create(&thread, nullptr, start, (void*)wait);
  puts("ready");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {}
  kill(0, SIGKILL);
}
)";

struct Wait {
  const char* function;
  const char* reason;
};
constexpr Wait kWaits[] = {
    {"in_sleep", "sleep"},    {"in_nanosleep", "sleep"}, {"in_pipe", "pipe"},   {"in_socket", "socket"},
    {"in_poll", "poll"},      {"in_epoll", "poll"},      {"in_mutex", "lock"},  {"in_condition", "lock"},
    {"in_accept", "network"}, {"in_event", "event"},     {"in_timer", "sleep"}, {"in_child", "child"},
    {"in_signal", "signal"},
};

// What all threads of a process wait in, as a profile in text. Only from the calling thread: it may have another identity.
struct Seen {
  std::string text;
  size_t waiting = 0;
  size_t cut = 0;
};
Seen see(pid_t pid) {
  Seen seen;
  NoSource source;
  CodeModules modules{{}};
  StackCollector collector{source, modules};
  std::vector<std::byte> stack;
  const auto threads = linux::list_threads(pid);
  for (const pid_t tid : threads.ok() ? *threads : std::vector<pid_t>()) {
    auto thread = StillThread::open(pid, tid);
    RawSample sample;
    if (!thread.ok() || thread->look(sample, stack) != StillThread::Look::Waits) continue;
    collector.add(collector.on_stack(sample), 1, 1);
    ++seen.waiting;
  }
  for (size_t i = 1; i < collector.slots().size(); ++i) seen.cut += collector.slots()[i].reaches_root ? 0 : 1;
  Profile profile;
  ProfileBuilder(collector, modules).build({}, profile);
  seen.text = test::to_text(profile);
  return seen;
}

// Once all of them wait where they are to.
Seen see_all(pid_t pid, size_t threads) {
  Seen seen;
  for (int tries = 0; tries < 400; ++tries) {
    seen = see(pid);
    size_t there = 0;
    for (const Wait& wait : kWaits) there += seen.text.find(wait.function) != std::string::npos ? 1 : 0;
    if (seen.waiting >= threads && there == std::size(kWaits)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return seen;
}

std::string line_with(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return {};
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

class StillThreads : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { folder_ = new test::BuildFolder; }
  static void TearDownTestSuite() { delete std::exchange(folder_, nullptr); }
  std::string compile() {
    folder_->write("waits.cpp", kProgram);
    ::chmod(folder_->file("").c_str(), 0755);
    EXPECT_TRUE(folder_->run(std::string("g++ ") + GetParam() + " -pthread waits.cpp -o waits"));
    return folder_->file("waits");
  }
  // in_condition and in_mutex are inlined into nothing, but what they call may be.
  static void expect_waits(const Seen& seen) {
    for (const Wait& wait : kWaits) {
      const std::string line = line_with(seen.text, wait.function);
      EXPECT_NE(line.find(";begin[native];"), std::string::npos) << wait.function << ": " << line << "\n" << seen.text;
      EXPECT_NE(line.find(std::string("wait=") + wait.reason + "}"), std::string::npos) << wait.function << ": " << line;
    }
    EXPECT_EQ(seen.cut, 0u) << seen.text;
    EXPECT_EQ(seen.text.find("leave_frames"), std::string::npos) << seen.text;
  }

  static test::BuildFolder* folder_;
};
test::BuildFolder* StillThreads::folder_ = nullptr;

// The group that the program kills at its end is its own.
std::vector<std::string> in_own_group(const std::string& program) { return {"setsid", program}; }

TEST_P(StillThreads, show_where_and_for_what_they_wait) {
  test::WaitingProgram program(in_own_group(compile()));
  ASSERT_EQ(program.read_line(), "ready");
  expect_waits(see_all(program.pid(), std::size(kWaits) + 1));
}

TEST_P(StillThreads, show_it_to_their_own_user_who_is_nobody_else) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) GTEST_SKIP() << "wants root, to become somebody else";
  const std::string path = compile();
  // A process of that user, who looks at his own child: nobody refuses that.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Seen seen;
    if (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0) {
      test::WaitingProgram program(in_own_group(path));
      if (program.read_line() == "ready") seen = see_all(program.pid(), std::size(kWaits) + 1);
    }
    const std::string text = std::to_string(seen.cut) + "\n" + seen.text;
    ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(text.starts_with("0\n")) << text;
  expect_waits({.text = text.substr(2), .waiting = 0, .cut = 0});
}

INSTANTIATE_TEST_SUITE_P(compiled, StillThreads,
                         testing::Values("-O0", "-O2 -fomit-frame-pointer", "-O2 -fno-omit-frame-pointer", "-O1 -static"),
                         [](const testing::TestParamInfo<const char*>& each) {
                           std::string name;
                           for (const char* at = each.param; *at != 0; ++at) name += std::isalnum(*at) != 0 ? *at : '_';
                           return name;
                         });

TEST(still_thread, has_not_run_since_and_then_has_and_then_is_over) {
  test::WaitingProgram program({"sh", "-c", "echo ready; read line; exec cat"});
  ASSERT_EQ(program.read_line(), "ready");
  auto thread = StillThread::open(program.pid(), program.pid());
  ASSERT_TRUE(thread.ok());
  RawSample sample;
  std::vector<std::byte> stack;
  auto look = StillThread::Look::Runs;
  for (int tries = 0; tries < 400 && look != StillThread::Look::Waits; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    look = thread->look(sample, stack);
  }
  ASSERT_EQ(look, StillThread::Look::Waits);
  EXPECT_EQ(sample.pid, program.pid());
  EXPECT_EQ(sample.comm, "sh");
  EXPECT_EQ(sample.note.wait, "pipe");
  EXPECT_TRUE(sample.stands_still);
  EXPECT_TRUE(sample.has_copy);
  EXPECT_FALSE(sample.registers.has_others);
  EXPECT_EQ(sample.stack_copy.data(), stack.data());
  EXPECT_TRUE(thread->figures().are_kept());
  EXPECT_EQ(thread->look(sample, stack), StillThread::Look::Same);
  thread->forget_sample();
  EXPECT_EQ(thread->look(sample, stack), StillThread::Look::Waits);
  ::kill(program.pid(), SIGSTOP);
  for (int tries = 0; tries < 400 && sample.note.wait != "stopped"; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    thread->look(sample, stack);
  }
  EXPECT_EQ(sample.note.wait, "stopped");
  ::kill(program.pid(), SIGCONT);
  program.finish();
  EXPECT_EQ(thread->look(sample, stack), StillThread::Look::Ended);
}

TEST(still_thread, that_runs_gives_no_sample) {
  test::WaitingProgram program({"sh", "-c", "echo ready; while :; do :; done"});
  ASSERT_EQ(program.read_line(), "ready");
  auto thread = StillThread::open(program.pid(), program.pid());
  ASSERT_TRUE(thread.ok());
  RawSample sample;
  std::vector<std::byte> stack;
  EXPECT_EQ(thread->look(sample, stack), StillThread::Look::Runs);
  ::kill(program.pid(), SIGKILL);
}

TEST(still_thread, of_python_waits_in_functions_of_the_interpreter) {
  test::WaitingProgram program({"python3", "-c",
                                "import sys, threading, time\n"
                                "lock = threading.Lock()\nlock.acquire()\n"
                                "for wait in (lambda: time.sleep(1000), lock.acquire):\n"
                                "  threading.Thread(target=wait, daemon=True).start()\n"
                                "print('ready', flush=True)\nsys.stdin.read()"});
  ASSERT_EQ(program.read_line(), "ready");
  Seen seen;
  for (int tries = 0; tries < 400; ++tries) {
    seen = see(program.pid());
    if (seen.waiting == 3 && seen.text.find("wait=sleep}") != std::string::npos &&
        seen.text.find("wait=lock}") != std::string::npos && seen.text.find("wait=pipe}") != std::string::npos)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(seen.text.find("clock_nanosleep"), std::string::npos) << seen.text;
  for (const char* reason : {"wait=sleep}", "wait=lock}", "wait=pipe}"})
    EXPECT_NE(seen.text.find(reason), std::string::npos) << seen.text;
  EXPECT_EQ(seen.cut, 0u) << seen.text;
}

}  // namespace
}  // namespace atys::capture::native
