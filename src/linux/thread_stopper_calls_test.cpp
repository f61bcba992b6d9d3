// SPDX-License-Identifier: Apache-2.0
// System calls that wait, in threads that are stopped meanwhile again and again: none fails because of it, and none returns
// before its time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "linux/process.h"
#include "linux/thread_stopper.h"
#include "support/forked_process.h"

namespace atys::linux {

namespace {

constexpr long kTimeoutUs = 1000;
constexpr long kTwoTicksUs = 20'000;  // a timeout that the kernel counts in ticks, begun anew, takes as long (HZ=100)
constexpr timespec kTimeout{0, kTimeoutUs * 1000};

// A call that waits for kTimeoutUs, made ready in the thread that makes it. It says how it ended: 0, or errno.
using WaitingCall = std::function<int()>;

// Who sees to it that the call is made again after a stop.
enum class By { Kernel, Us };
#if defined(__x86_64__)
constexpr bool kWeCan = true;
#else
constexpr bool kWeCan = false;  // the kernel has forgotten which call it was when it stops a thread
#endif

struct Case {
  const char* name;
  WaitingCall (*prepare)();
  By by;
  // Sockets count ticks of the kernel's, and one that was woken counts a tick that has just begun as over.
  bool counts_ticks = false;
};

int error_of(long result) { return result < 0 ? errno : 0; }

void set_timeouts(int socket) {
  const timeval time{0, kTimeoutUs};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

std::array<int, 2> socket_pair() {
  std::array<int, 2> ends{};
  ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
  set_timeouts(ends[0]);
  return ends;
}

WaitingCall prepare_epoll() {
  const int set = ::epoll_create1(0);
  return [set] {
    epoll_event event{};
    return error_of(::epoll_wait(set, &event, 1, kTimeoutUs / 1000));
  };
}

WaitingCall prepare_epoll_with_mask() {
  const int set = ::epoll_create1(0);
  return [set] {
    epoll_event event{};
    sigset_t mask;
    sigfillset(&mask);
    return error_of(::epoll_pwait(set, &event, 1, kTimeoutUs / 1000, &mask));
  };
}

WaitingCall prepare_select() {
  return [] {
    timeval time{0, kTimeoutUs};
    return error_of(::select(0, nullptr, nullptr, nullptr, &time));
  };
}

// Without a timeout that can be written to, the kernel cannot go on where it was.
WaitingCall prepare_select_with_constant_timeout() {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<timespec*>(page) = kTimeout;
  ::mprotect(page, 4096, PROT_READ);
  return [page] { return error_of(::syscall(SYS_pselect6, 0, nullptr, nullptr, nullptr, page, nullptr)); };
}

WaitingCall prepare_poll() {
  return [] { return error_of(::poll(nullptr, 0, kTimeoutUs / 1000)); };
}

WaitingCall prepare_semaphore() {
  const int set = ::semget(IPC_PRIVATE, 1, 0600);
  return [set] {
    sembuf operation{0, -1, 0};
    const int error = error_of(::semtimedop(set, &operation, 1, &kTimeout));
    return error == EAGAIN ? 0 : error;
  };
}

WaitingCall prepare_signal() {
  return [] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const int error = error_of(::sigtimedwait(&set, nullptr, &kTimeout));
    return error == EAGAIN ? 0 : error;
  };
}

WaitingCall prepare_receive() {
  const auto ends = socket_pair();
  return [ends] {
    char byte = 0;
    const int error = error_of(::recv(ends[0], &byte, 1, 0));
    return error == EAGAIN ? 0 : error;
  };
}

WaitingCall prepare_read_of_socket() {
  const auto ends = socket_pair();
  return [ends] {
    char byte = 0;
    const int error = error_of(::read(ends[0], &byte, 1));
    return error == EAGAIN ? 0 : error;
  };
}

WaitingCall prepare_send() {
  const auto ends = socket_pair();
  std::array<char, 4096> bytes{};
  while (::send(ends[0], bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) continue;
  return [ends] {
    const char byte = 0;
    const int error = error_of(::send(ends[0], &byte, 1, 0));
    return error == EAGAIN ? 0 : error;
  };
}

WaitingCall prepare_accept() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  set_timeouts(listener);
  ::listen(listener, 1);
  return [listener] {
    const int error = error_of(::accept(listener, nullptr, nullptr));
    return error == EAGAIN ? 0 : error;
  };
}

WaitingCall prepare_io_events() {
  aio_context_t context = 0;
  ::syscall(SYS_io_setup, 1, &context);
  return [context] {
    timespec time = kTimeout;
    io_event event{};
    return error_of(::syscall(SYS_io_getevents, context, 1, 1, &event, &time));
  };
}

WaitingCall prepare_futex() {
  return [] {
    int word = 0;
    const int error = error_of(::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &kTimeout, nullptr, 0));
    return error == ETIMEDOUT ? 0 : error;
  };
}

WaitingCall prepare_sleep() {
  return [] { return error_of(::nanosleep(&kTimeout, nullptr)); };
}

// These have no timeout: a message comes when it is time.
WaitingCall prepare_message() {
  const int queue = ::msgget(IPC_PRIVATE, 0600);
  struct Message {
    long type;
  };
  return [queue] {
    std::thread sender([queue] {
      test::sleep_us(kTimeoutUs);
      const Message message{1};
      ::msgsnd(queue, &message, 0, 0);
    });
    Message message{};
    const int error = error_of(::msgrcv(queue, &message, 0, 0, 0));
    sender.join();
    return error;
  };
}

WaitingCall prepare_read_of_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return [] { return ENFILE; };
  return [ends] {
    std::thread sender([ends] {
      test::sleep_us(kTimeoutUs);
      [[maybe_unused]] const ssize_t written = ::write(ends[1], "x", 1);
    });
    char byte = 0;
    const int error = error_of(::read(ends[0], &byte, 1));
    sender.join();
    return error;
  };
}

constexpr Case kCases[] = {
    {"epoll_wait", prepare_epoll, By::Us},
    {"epoll_pwait", prepare_epoll_with_mask, By::Us},
    {"select", prepare_select, By::Kernel},
    {"pselect with a constant timeout", prepare_select_with_constant_timeout, By::Us},
    {"poll", prepare_poll, By::Kernel},
    {"semtimedop", prepare_semaphore, By::Us},
    {"sigtimedwait", prepare_signal, By::Us},
    {"recv with a timeout", prepare_receive, By::Us, true},
    {"read of a socket with a timeout", prepare_read_of_socket, By::Us, true},
    {"send with a timeout", prepare_send, By::Us, true},
    {"accept with a timeout", prepare_accept, By::Us, true},
    {"io_getevents", prepare_io_events, By::Us},
    {"futex", prepare_futex, By::Kernel},
    {"nanosleep", prepare_sleep, By::Kernel},
    {"msgrcv", prepare_message, By::Kernel},
    {"read of a pipe", prepare_read_of_pipe, By::Kernel},
};
constexpr size_t kCaseCount = std::size(kCases);

struct Counts {
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> interrupted;
  std::atomic<uint64_t> failed;
  std::atomic<uint64_t> early;
};
struct AllCounts {
  std::array<Counts, kCaseCount> of;
};

void make_calls(const Case& one, Counts& counts, uint64_t how_many) {
  const WaitingCall call = one.prepare();
  for (uint64_t i = 0; i < how_many; ++i) {
    const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
    const int error = call();
    const uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - begun_ns;
    if (error == 0 && !one.counts_ticks && took_ns + 1000 < kTimeoutUs * 1000) ++counts.early;
    if (error == EINTR) ++counts.interrupted;
    if (error != 0 && error != EINTR) ++counts.failed;
    ++counts.calls;
  }
}

void expect_all_as_they_should(const AllCounts& counts, uint64_t calls) {
  for (size_t i = 0; i < kCaseCount; ++i) {
    SCOPED_TRACE(kCases[i].name);
    EXPECT_EQ(counts.of[i].calls, calls);
    if (kWeCan || kCases[i].by == By::Kernel) {
      EXPECT_EQ(counts.of[i].interrupted, 0u);
    }
    EXPECT_EQ(counts.of[i].failed, 0u);
    EXPECT_EQ(counts.of[i].early, 0u);
  }
}

// Each call in a thread of its own, stopped as `options` say; with waits between two rounds that are longer than a timeout
// now and then, so that every call comes to an end.
StopFigures stop_while_calls_are_made(AllCounts& counts, uint64_t calls, const StopOptions& options, bool with_waits) {
  test::ForkedProcess process([&] {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kCaseCount; ++i) threads.emplace_back([&, i] { make_calls(kCases[i], counts.of[i], calls); });
    for (std::thread& thread : threads) thread.join();
    return 0;
  });
  ThreadStopper stopper(options);
  std::minstd_rand random(7);
  const uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + 60'000'000'000;
  while (!process.has_ended() && clock_ns(CLOCK_MONOTONIC) < deadline_ns) {
    const auto threads = list_threads(process.pid());
    if (!threads.ok()) break;
    for (const pid_t tid : *threads) stopper.stop_shortly(process.pid(), tid, [](const StoppedThread&) {});
    if (with_waits) test::sleep_us(static_cast<long>(random() % (2 * kTwoTicksUs)));
  }
  EXPECT_TRUE(process.has_ended());
  return stopper.figures();
}

}  // namespace

TEST(thread_stopper_calls, run_as_ever_while_threads_that_run_are_stopped_all_the_time) {
  const test::Shared<AllCounts> counts;
  stop_while_calls_are_made(*counts, 400, {}, false);
  expect_all_as_they_should(*counts, 400);
}

TEST(thread_stopper_calls, do_not_fail_when_a_thread_that_has_gone_to_sleep_is_stopped) {
  const test::Shared<AllCounts> counts;
  const StopFigures figures = stop_while_calls_are_made(*counts, 100, {.only_running = false}, true);
  expect_all_as_they_should(*counts, 100);
  EXPECT_EQ(figures.made_again > 0, kWeCan);
}

}  // namespace atys::linux
