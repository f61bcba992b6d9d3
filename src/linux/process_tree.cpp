// SPDX-License-Identifier: Apache-2.0
#include "linux/process_tree.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <map>
#include <set>

#include "linux/process.h"

namespace atys::linux {

namespace {

// By parent. Zombies are left out: all that they started has another parent.
std::map<pid_t, std::vector<StartedProcess>> living_children() {
  std::map<pid_t, std::vector<StartedProcess>> children;
  for (const pid_t pid : list_processes())
    if (const auto process = read_process(pid); process.ok() && process->state != 'Z')
      children[process->parent].push_back({pid, process->start_time_ticks});
  return children;
}

}  // namespace

std::vector<pid_t> with_descendants(std::vector<pid_t> pids) {
  auto children = living_children();
  std::set<pid_t> found;
  while (!pids.empty()) {
    const pid_t pid = pids.back();
    pids.pop_back();
    if (pid == ::getpid() || !found.insert(pid).second) continue;
    for (const StartedProcess& child : children[pid]) pids.push_back(child.pid);
  }
  return {found.begin(), found.end()};
}

std::vector<StartedProcess> descendants_of(pid_t root) {
  auto children = living_children();
  std::vector<StartedProcess> found = std::move(children[root]);
  for (size_t i = 0; i < found.size(); ++i) {
    const std::vector<StartedProcess> of_it = std::move(children[found[i].pid]);  // taken, so that no circle is walked twice
    found.insert(found.end(), of_it.begin(), of_it.end());
  }
  return found;
}

void adopt_orphans() { (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

}  // namespace atys::linux
