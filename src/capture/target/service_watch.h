// SPDX-License-Identifier: Apache-2.0
// Which processes make up a service, looked at again and again while they come and go. To read what /proc says of every
// process twice a second would cost more than sampling them. A process that was judged is judged again the later the older
// it is: one that has just been forked may call exec() any moment, one that has run for an hour hardly ever does.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "capture/target/service_rule.h"

namespace atys::capture {

class ServiceWatch {
 public:
  explicit ServiceWatch(ServiceRule rule) : rule_(std::move(rule)) {}

  // Those that belong to it now, in rising order. `now_ns`: CLOCK_BOOTTIME.
  std::vector<pid_t> look(uint64_t now_ns);

  // When a process that was judged at one time, having begun at another, is to be judged again.
  static uint64_t judged_again_ns(uint64_t began_ns, uint64_t judged_ns);
  static uint64_t judged_again_ns(const linux::ProcessInfo& process, uint64_t judged_ns);

 private:
  struct Judged {
    uint64_t start_time_ticks = 0;
    uint64_t began_ns = 0;
    uint64_t judged_ns = 0;
    bool belongs = false;
  };

  bool are_the_same() const;
  std::vector<pid_t> known_processes() const;

  ServiceRule rule_;
  std::unique_ptr<ProcessFacts> facts_;
  std::map<pid_t, Judged> judged_;
  std::vector<pid_t> found_;  // the last time
  pid_t newest_ = 0;          // number given out before the last look
  uint64_t next_judgement_ns_ = 0;
};

}  // namespace atys::capture
