// SPDX-License-Identifier: Apache-2.0
// What a thread of another process does at this moment, as /proc shows it: whether it runs, in which system call it waits
// and where its stack is. Nothing is stopped, and no more right is needed than for reading the process's memory. Parsing is
// apart from reading; what is read may be cut or strange.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::linux {

// Of /proc/PID/task/TID/syscall.
struct ThreadActivity {
  bool is_running = false;       // or ready to: nothing else is known then
  std::optional<uint64_t> call;  // the system call that it waits in; nothing: it waits, but in none (a page fault, a stop)
  std::array<uint64_t, 6> arguments{};
  uint64_t sp = 0;
  uint64_t pc = 0;

  bool operator==(const ThreadActivity&) const = default;
};
std::optional<ThreadActivity> parse_activity(std::string_view text);

// Of /proc/PID/task/TID/schedstat.
struct ThreadFigures {
  uint64_t ran_ns = 0;    // on a CPU; of a thread that runs at this moment up to a tick less
  uint64_t ready_ns = 0;  // ready to run, but without a CPU
  uint64_t turns = 0;     // how often it was given a CPU

  bool operator==(const ThreadFigures&) const = default;
  // Some kernels keep none, and say "0 0 0" of every thread.
  bool are_kept() const { return turns != 0; }
};
std::optional<ThreadFigures> parse_figures(std::string_view text);

// The letter of /proc/PID/task/TID/stat: R, S, D, T … The name before it may hold anything.
std::optional<char> parse_state(std::string_view text);

// The files of one thread, kept open: an answer costs a read, some microseconds. A descriptor stays with its thread even if
// the number is given to another.
class ThreadFiles {
 public:
  // Fails where there is no such thread.
  static Result<ThreadFiles> open(pid_t pid, pid_t tid);

  pid_t pid() const { return pid_; }
  pid_t tid() const { return tid_; }
  // Nothing: the thread has ended.
  std::optional<ThreadFigures> figures() const;
  // Where the thread may not be asked, or this kernel has no such file, only whether it is running (sp is 0). Nothing: it
  // has ended.
  std::optional<ThreadActivity> activity();
  // Which it may have given itself a moment ago. Nothing: the thread has ended.
  std::optional<std::string> name();
  // Rarely wanted, so these are opened when asked for. '?' and empty: not known.
  char state() const;
  std::string waiting_in() const;  // the kernel function (wchan)

 private:
  ThreadFiles(pid_t pid, pid_t tid) : pid_(pid), tid_(tid) {}
  std::optional<ThreadActivity> activity_by_state() const;
  void see_state_only();

  pid_t pid_;
  pid_t tid_;
  UniqueFd figures_;
  UniqueFd activity_;
  UniqueFd state_;  // where the activity is not ours to see
  UniqueFd name_;   // once it was asked for
};

}  // namespace atys::linux
