// SPDX-License-Identifier: Apache-2.0
// A function in a process of its own, for tests that do something to processes.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <new>

namespace atys::test {

inline void sleep_us(long microseconds) {
  const timespec time{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  ::nanosleep(&time, nullptr);
}

class ForkedProcess {
 public:
  // `work` returns the exit status. It is the leader of a process group of its own.
  template <typename Work>
  explicit ForkedProcess(const Work& work) : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setpgid(0, 0);
      ::_exit(work());
    }
    ::setpgid(pid_, pid_);  // whoever of us is first
  }
  ForkedProcess(const ForkedProcess&) = delete;
  ForkedProcess& operator=(const ForkedProcess&) = delete;
  ~ForkedProcess() {
    if (pid_ <= 0 || ::kill(-pid_, SIGKILL) != 0) return;
    wait();
  }

  pid_t pid() const { return pid_; }

  // Looks without taking. A stop of a process that we trace is no end.
  bool has_ended() const {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
    return info.si_pid != 0 && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
  }
  // Exit status as a shell gives it.
  int wait() {
    if (pid_ <= 0) return -1;
    while (!has_ended()) sleep_us(200);
    siginfo_t info{};
    const bool is_known = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) == 0;
    pid_ = -1;
    if (!is_known) return -1;
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  }

 private:
  pid_t pid_ = -1;
};

// Memory that a test and its processes share; of zeros at first.
template <typename T>
class Shared {
 public:
  Shared() {
    void* memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    value_ = memory == MAP_FAILED ? nullptr : new (memory) T();
  }
  ~Shared() { ::munmap(static_cast<void*>(value_), sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

 private:
  T* value_ = nullptr;
};

}  // namespace atys::test
