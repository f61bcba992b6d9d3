// SPDX-License-Identifier: Apache-2.0
#include "fleet/busiest.h"

#include <unistd.h>

#include <algorithm>

#include "capture/target/permission.h"
#include "capture/target/service_program.h"
#include "capture/target/service_rule.h"
#include "capture/target/service_watch.h"

namespace atys::fleet {

ServiceKey service_of(const linux::ProcessInfo& process, capture::ProcessFacts& facts) {
  return {capture::program_name(process), capture::program_folder(process, facts), capture::place_of(process, facts)};
}

std::string rule_of(const ServiceKey& key) {
  return "runs=" + capture::exactly(key.name) + " folder=" + capture::exactly(key.folder) +
         " in=" + capture::exactly(key.place);
}

std::vector<BusyService> busiest(std::span<const ProcessTime> before, std::span<const ProcessTime> after,
                                 uint64_t elapsed_ns) {
  std::map<std::pair<pid_t, uint64_t>, uint64_t> used;
  for (const ProcessTime& process : before) used[{process.pid, process.start_time_ticks}] = process.cpu_ns;
  std::map<ServiceKey, BusyService> services;
  for (const ProcessTime& process : after) {
    BusyService& all = services.try_emplace(process.key, BusyService{.key = process.key}).first->second;
    const auto found = used.find({process.pid, process.start_time_ticks});
    const uint64_t since = found == used.end() ? 0 : found->second;
    all.cores += static_cast<double>(process.cpu_ns - std::min(since, process.cpu_ns)) /
                 static_cast<double>(std::max<uint64_t>(1, elapsed_ns));
    ++all.processes;
    all.is_ours = all.is_ours || process.is_ours;
  }
  std::vector<BusyService> order;
  for (auto& [key, service] : services) order.push_back(std::move(service));
  std::stable_sort(order.begin(), order.end(), [](const BusyService& a, const BusyService& b) { return a.cores > b.cores; });
  return order;
}

// False: it has ended meanwhile.
bool BusyWatch::judge(pid_t pid, uint64_t now_ns) {
  const Result<linux::ProcessInfo> process = linux::read_process(pid);
  if (!process.ok()) return false;
  Known& known = known_[pid];
  known.start_time_ticks = process->start_time_ticks;
  known.judge_again_ns = capture::ServiceWatch::judged_again_ns(*process, now_ns);
  known.is_service = !process->command_line.empty() && !facts_->is_ourselves(*process);
  if (!known.is_service) return true;
  known.key = service_of(*process, *facts_);
  known.is_ours = capture::may_profile(pid);
  return true;
}

std::vector<BusyService> BusyWatch::look(uint64_t now_ns) {
  std::map<pid_t, Known> still_there;
  std::vector<ProcessTime> times;
  for (const pid_t pid : linux::list_processes()) {
    const auto known = known_.find(pid);
    if ((known == known_.end() || now_ns >= known->second.judge_again_ns) && !judge(pid, now_ns)) continue;
    still_there.insert(known_.extract(pid));
    const Known& process = still_there.at(pid);
    if (!process.is_service) continue;
    const Result<uint64_t> cpu_ns = linux::cpu_time_ns(pid);
    if (cpu_ns.ok()) times.push_back({pid, process.start_time_ticks, *cpu_ns, process.key, process.is_ours});
  }
  known_ = std::move(still_there);
  const std::span<const ProcessTime> before = last_ns_ == 0 ? times : last_;
  std::vector<BusyService> services = busiest(before, times, now_ns - last_ns_);
  last_ = std::move(times);
  last_ns_ = now_ns;
  return services;
}

}  // namespace atys::fleet
