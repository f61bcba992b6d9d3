// SPDX-License-Identifier: Apache-2.0
// What a machine is busy with, as services: processes that run the same program, or the same script of an interpreter, of
// the same folder and in the same unit or container. What `atys up` profiles when nobody has said what.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/target/process_facts.h"
#include "linux/process.h"

namespace atys::fleet {

// By what processes are one service (capture/target/service_program.h).
struct ServiceKey {
  std::string name;    // "search.py", "postgres"
  std::string folder;  // that this is of
  std::string place;   // the unit or container that it runs in

  auto operator<=>(const ServiceKey&) const = default;
};

struct BusyService {
  ServiceKey key;
  double cores = 0;
  size_t processes = 0;
  bool is_ours = false;  // we may record one of its processes, at least
};

ServiceKey service_of(const linux::ProcessInfo& process, capture::ProcessFacts& facts);

// The rule that finds its processes and no others, as capture/target/service_rule.h reads it.
std::string rule_of(const ServiceKey& key);

// CPU time of a process, at one look.
struct ProcessTime {
  pid_t pid = 0;
  uint64_t start_time_ticks = 0;
  uint64_t cpu_ns = 0;
  ServiceKey key;
  bool is_ours = true;
};

// Of two looks at all processes, `elapsed_ns` apart; the busiest first.
std::vector<BusyService> busiest(std::span<const ProcessTime> before, std::span<const ProcessTime> after,
                                 uint64_t elapsed_ns);

// Looks again and again. What a process runs is read once, and again the later the older it is; its CPU time each time.
class BusyWatch {
 public:
  explicit BusyWatch(std::unique_ptr<capture::ProcessFacts> facts) : facts_(std::move(facts)) {}

  // Since the last look; at the first look, everybody, with no CPU time. Neither threads of the kernel nor ourselves.
  // `now_ns`: CLOCK_BOOTTIME.
  std::vector<BusyService> look(uint64_t now_ns);

 private:
  struct Known {
    uint64_t start_time_ticks = 0;
    uint64_t judge_again_ns = 0;
    ServiceKey key;
    bool is_service = false;
    bool is_ours = false;
  };
  bool judge(pid_t pid, uint64_t now_ns);

  std::unique_ptr<capture::ProcessFacts> facts_;
  std::map<pid_t, Known> known_;
  std::vector<ProcessTime> last_;
  uint64_t last_ns_ = 0;
};

}  // namespace atys::fleet
