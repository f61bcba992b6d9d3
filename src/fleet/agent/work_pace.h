// SPDX-License-Identifier: Apache-2.0
// Spreads what costs much at once: to begin with a service, and to name the stacks of a window. One does so at a time, and
// no sooner than what was spent so far allows, so that the agent is inside its budget from its first seconds on and not only
// in the mean; and what one has read of a binary, the next finds in the cache.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace atys::fleet {

// What may be spent by now: grows with time, up to a little, and shrinks with what is spent. Pure.
class CpuCredit {
 public:
  // `share` of one core; `most_ns` that may be saved.
  CpuCredit(double share, uint64_t most_ns) : share_(share), most_ns_(static_cast<double>(most_ns)) {}

  // Totals, each of which may only grow; the first call begins, with nothing saved.
  void update(uint64_t now_ns, uint64_t spent_ns);
  bool is_left() const { return credit_ns_ > 0; }
  // How long until there is some, if nothing more is spent meanwhile; 0: there is.
  uint64_t wait_ns() const;

 private:
  double share_;
  double most_ns_;
  double credit_ns_ = 0;
  uint64_t now_ns_ = 0;
  uint64_t spent_ns_ = 0;
  bool has_begun_ = false;
};

class WorkPace {
 public:
  enum class Work {
    Begin,       // to record a service
    FirstNames,  // of its first window: what is read of binaries then is there for the others
    Names,       // of the windows after that
  };
  struct Account {
    std::function<uint64_t()> now_ns;
    std::function<uint64_t()> spent_ns;  // of CPU time by all of us
  };
  WorkPace(double share, Account account);

  // What beginning has cost so far, first names included: it is over when everybody is at work.
  uint64_t begun_for_ns() const;

  // How long who is in the midst of long work should rest, so that it is spread as well; 0: not at all.
  uint64_t rest_ns();
  // Nobody has to rest any more: everything is to end.
  void end();

  // A place in the queue, given up with it; who is at work goes before who wants to begin. What is done between has_come()
  // and the end of the turn, nobody else does.
  class Turn {
   public:
    // After so much waiting its turn comes whatever was spent: late is better than never.
    Turn(WorkPace& pace, Work work, uint64_t patience_ns);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    bool has_come();  // to be asked now and then; then it stays so

   private:
    WorkPace& pace_;
    Work work_;
    uint64_t number_ = 0;
    uint64_t until_ns_ = 0;
    uint64_t spent_before_ns_ = 0;
  };

 private:
  bool is_next(uint64_t number) const;

  Account account_;
  mutable std::mutex mutex_;  // over what follows
  CpuCredit credit_;
  std::deque<uint64_t> to_name_, to_begin_;
  std::optional<uint64_t> at_work_;
  uint64_t next_number_ = 0;
  uint64_t begun_for_ns_ = 0;
  bool is_ending_ = false;
};

}  // namespace atys::fleet
