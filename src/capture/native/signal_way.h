// SPDX-License-Identifier: Apache-2.0
// Stacks by signals to threads of programs that were started with our library in them (capture/preload): the thread itself
// copies its registers and the top of its stack. One request for a thread at a time; an answer comes when the thread runs
// the next time, which for one that runs is at once.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "capture/preload/shared_space.h"

namespace atys::capture::native {

// Which program a process runs, as its library tells.
struct Listener {
  uint32_t life = 0;
  bool listens = false;  // to a signal, at the moment
};

struct SignalFigures {
  uint64_t sent = 0;
  uint64_t spent_ns = 0;     // by threads of the target
  uint64_t restarted = 0;    // system calls that were made again
  uint64_t interrupted = 0;  // that could not be: they failed as with any other signal
};

class SignalWay {
 public:
  explicit SignalWay(std::unique_ptr<preload::SharedSpace> space) : space_(std::move(space)) {}

  std::optional<Listener> listener(pid_t pid) const;
  std::set<pid_t> processes() const;  // with our library in them
  void forget(pid_t pid);             // it is over

  // A place for the table of an interpreter; kWalkers: there is none left.
  uint32_t keep_walker(const atys_walker& walker);
  void drop_walker(uint32_t number);

  enum class Asked { Sent, Waiting, Full, Deaf, Gone };
  // Waiting: the last request has not been answered. Deaf: the process listens to no signal now.
  Asked ask(pid_t pid, pid_t tid, uint32_t walker, uint64_t state, uint32_t stack_bytes);

  bool is_asked(pid_t tid) const;  // and has not answered

  using OnAnswer = std::function<void(pid_t pid, pid_t tid, const preload::Request& answer)>;
  void take_answers(const OnAnswer& on_answer);
  // What programs had run before our library was there.
  void take_starts(const OnAnswer& on_start);
  // Requests to threads that are over, or run another program now, come back to nobody.
  void drop_requests(pid_t pid, pid_t tid);

  SignalFigures figures() const;

 private:
  struct Asker {
    pid_t pid = 0;  // 0: free
    pid_t tid = 0;
    uint32_t life = 0;  // of the process, when it was asked
  };
  preload::Process* find(pid_t pid) const;
  void count(const preload::Process& process);

  std::unique_ptr<preload::SharedSpace> space_;
  std::array<Asker, preload::kRequests> askers_{};
  std::array<bool, preload::kWalkers> is_walker_used_{};
  SignalFigures figures_;  // of processes that are over, but for what was sent
};

}  // namespace atys::capture::native
