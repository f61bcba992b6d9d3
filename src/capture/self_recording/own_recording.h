// SPDX-License-Identifier: Apache-2.0
// A recorder of a runtime at work: its calls are made by a thread of its own, so that nobody waits for a slow process. What
// others may know of it meanwhile is kept here, under a lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/unique_fd.h"
#include "capture/self_recording/own_recorder.h"

namespace atys::capture {

class OwnRecording {
 public:
  // Starts it at once. `begun_fd`: an eventfd that is told when it samples; -1: nobody is.
  OwnRecording(pid_t pid, std::unique_ptr<OwnRecorder> recorder, int begun_fd = -1);
  ~OwnRecording();  // waits for a call that is under way, some seconds at most

  pid_t pid() const { return pid_; }
  bool has_ended() const;  // its process
  // Whether the start is over, well or not. Waits no longer than that.
  bool is_settled(std::chrono::milliseconds patience);
  bool has_started();  // well, at some time
  // It samples, and all threads of its process.
  bool covers_all();
  // Asks for what it recorded since the last time; many can be asked before any answers.
  void ask(bool is_last);
  void set_rate(double hz);
  // Fails also when it did not start, or does not answer in time.
  Result<Profile> answer(std::chrono::milliseconds patience);
  Result<Profile> take(bool is_last, std::chrono::milliseconds patience) {
    ask(is_last);
    return answer(patience);
  }
  // As OwnRecorder tells them, when the last call that is over was.
  std::vector<pid_t> covered_threads() const;
  std::vector<pid_t> made_threads() const;

 private:
  enum class Order { None, Rate, Take, TakeLast, End };
  void run();
  Result<> start_patiently();
  void give(Order order);
  void wait_for_order(std::unique_lock<std::mutex>& lock);
  void end_soon();
  void follow_rate(std::unique_lock<std::mutex>& lock);
  void note_threads();

  const pid_t pid_;
  const UniqueFd process_;                       // a pidfd; closed: it was gone already
  const std::unique_ptr<OwnRecorder> recorder_;  // of its thread, but for end_by()
  const int begun_fd_;
  const UniqueFd given_;      // an eventfd: readable when there is an order
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  Order order_ = Order::None;
  bool is_ending_ = false;
  double wanted_hz_ = 0;  // 0: as it is
  std::optional<Result<>> started_;
  std::optional<Result<Profile>> taken_;
  std::vector<pid_t> covered_, made_;
  std::thread thread_;  // the last: runs as soon as it is there
};

}  // namespace atys::capture
