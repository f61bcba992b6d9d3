// SPDX-License-Identifier: Apache-2.0
// Windows on their way out: runners put them in, a thread of its own sends them, and between the two they are in the spool,
// with times that are put right once the controller has told its own. From any thread, under a lock of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "fleet/agent/controller_clock.h"
#include "fleet/controller_link.h"
#include "fleet/spool.h"
#include "fleet/spool_sender.h"
#include "profile/profile.h"

namespace atys::fleet {

class Outbox {
 public:
  // `link` outlives it; null: there is nobody to send to, and nothing is kept.
  Outbox(Spool spool, ControllerLink* link);
  ~Outbox() { end(); }

  void start();
  // As outgoing_window() made it.
  void put(const Profile& window);
  // The controller's orders came between these two readings of our clocks; windows may have waited for the time in them.
  void note_time(const ClockReading& before, const ClockReading& after, const Orders& orders);
  // What is put in from now on waits for the end.
  void end_soon();
  // Sends the last windows, as far as the controller takes them at once; the others stay in the spool.
  void end();

  struct State {
    Spool::State spool;
    std::string trouble;          // why windows wait
    std::string clock_trouble;    // why they are shifted
    int64_t clock_ahead_ns = 0;   // of the controller's, as last measured
    uint64_t bytes_recorded = 0;  // before compression
  };
  State state() const;

 private:
  void run();
  bool goes_on() const;
  bool wait_for_window(uint64_t try_again_ns);
  Result<std::optional<std::string>> settle(const Spool::Entry& entry) const;

  const std::string boot_ = read_boot();
  Spool spool_;                        // has a lock of its own
  std::optional<SpoolSender> sender_;  // of the thread that sends, then of the one that ends us; none without a link
  std::atomic<uint64_t> bytes_recorded_ = 0;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_;
  bool is_ending_ = false;
  bool has_new_window_ = false;
  std::string trouble_;
  ControllerClock clock_{boot_};

  std::thread thread_;
};

}  // namespace atys::fleet
