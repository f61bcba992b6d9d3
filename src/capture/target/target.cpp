// SPDX-License-Identifier: Apache-2.0
#include "capture/target/target.h"

#include <linux/capability.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "base/strings.h"
#include "capture/target/permission.h"
#include "linux/capabilities.h"
#include "linux/cgroup.h"
#include "linux/listening_ports.h"
#include "linux/proc_maps.h"
#include "linux/process_tree.h"

namespace atys::capture {

// CAP_PERFMON lets us sample every process; without it, those whose memory we may read.
bool may_profile(pid_t pid) {
  const auto capabilities = linux::Capabilities::of_ourselves();
  if (capabilities.ok() && (capabilities->has(CAP_PERFMON) || capabilities->has(CAP_SYS_ADMIN))) return true;
  const auto maps = linux::read_maps(pid);
  return maps.ok() || maps.error().code != ErrorCode::PermissionDenied;
}

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string list_of(const std::vector<pid_t>& pids) {
  return joined(pids, ", ", [](pid_t pid) { return std::to_string(pid); });
}

Result<std::vector<pid_t>> find_named(const ProcessTarget& named) {
  std::vector<pid_t> found;
  std::vector<pid_t> missing;
  for (const pid_t pid : named.pids) {
    const auto process = linux::read_process(pid);
    if (!process.ok() && process.error().code == ErrorCode::NotFound) {
      missing.push_back(pid);
      continue;
    }
    if (!process.ok()) return process.error();
    if (process->state == 'Z')
      return fail(ErrorCode::NotFound, "process " + std::to_string(pid) + " has ended (it is a zombie)");
    if (!may_profile(pid))
      return fail(ErrorCode::PermissionDenied,
                  "process " + std::to_string(pid) + " (" + process->comm + ") belongs to user " +
                      std::to_string(process->uid) + ": not permitted to profile it",
                  "run as that user or as root, or give atys cap_perfmon and cap_sys_ptrace; `atys doctor` has the command");
    found.push_back(pid);
  }
  if (!missing.empty())
    return fail(ErrorCode::NotFound, std::string(missing.size() == 1 ? "no process " : "no processes ") + list_of(missing),
                "`ps -e` lists those that run");
  if (found.empty()) return fail(ErrorCode::InvalidInput, "no process was named");
  if (!named.with_children) return found;
  std::vector<pid_t> all = linux::with_descendants(found);
  std::erase_if(all, [](pid_t pid) { return !may_profile(pid); });
  return all;
}

// Why nothing matched, as far as it can be told.
Error no_such_service(const ServiceRule& rule, const std::set<std::string>& known) {
  const std::string message = "no process is of service '" + rule.text() + "'";
  const auto ports = linux::read_listening_ports(rule.ports());
  for (const uint16_t port : rule.ports())
    if (ports.of_unknown.contains(port))
      return fail(ErrorCode::PermissionDenied,
                  message + ": port " + std::to_string(port) + " is in use by a process that we may not look at",
                  "run as its user or as root, or give atys cap_sys_ptrace; `atys doctor` has the command");
  std::vector<std::string> near;
  for (const auto& condition : rule.conditions())
    if (condition.field == ServiceRule::Field::Name) near = nearest_names(condition.value, {known.begin(), known.end()});
  if (!near.empty()) return fail(ErrorCode::NotFound, message, "did you mean " + joined(near, ", ") + "?");
  return fail(ErrorCode::NotFound, message, "`atys detect PID` shows what a process can be told by");
}

Result<std::vector<pid_t>> find_service(const ServiceRule& rule) {
  std::vector<pid_t> found;
  std::set<std::string> known;
  const auto facts = live_facts(rule);
  for (const pid_t pid : linux::list_processes()) {
    const auto process = linux::read_process(pid);
    if (!process.ok() || process->state == 'Z') continue;  // ended meanwhile
    if (matches(rule, *process, *facts)) found.push_back(pid);
    for (std::string& name : names_of(*process)) known.insert(std::move(name));
  }
  if (found.empty()) return no_such_service(rule, known);
  return found;
}

Result<std::vector<pid_t>> find_in_cgroup(const std::string& name) {
  auto pids = TRY(linux::processes_in(TRY(linux::resolve_cgroup(name))));
  std::erase(pids, ::getpid());
  if (pids.empty()) return fail(ErrorCode::NotFound, "cgroup '" + name + "' has no process");
  return pids;
}

}  // namespace

std::string describe(const Target& target) {
  return std::visit(Overloaded{
                        [](const CommandTarget& command) { return "command " + joined(command.arguments, " "); },
                        [](const ProcessTarget& some) {
                          return (some.pids.size() == 1 ? "process " : "processes ") + list_of(some.pids) +
                                 (some.with_children ? " with children" : "");
                        },
                        [](const CgroupTarget& group) { return "cgroup " + group.name; },
                        [](const ServiceTarget& service) { return "service " + service.rule.text(); },
                        [](const HostTarget&) { return std::string("the host"); },
                    },
                    target);
}

Result<std::vector<pid_t>> find_processes(const Target& target) {
  auto found = TRY(std::visit(Overloaded{
                                  [](const CommandTarget&) -> Result<std::vector<pid_t>> { return std::vector<pid_t>{}; },
                                  [](const ProcessTarget& some) { return find_named(some); },
                                  [](const CgroupTarget& group) { return find_in_cgroup(group.name); },
                                  [](const ServiceTarget& service) { return find_service(service.rule); },
                                  [](const HostTarget&) -> Result<std::vector<pid_t>> { return linux::list_processes(); },
                              },
                              target));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace atys::capture
