// SPDX-License-Identifier: Apache-2.0
#include "linux/process_tree.h"

#include <unistd.h>

#include <map>
#include <set>

#include "linux/process.h"

namespace atys::linux {

std::vector<pid_t> with_descendants(std::vector<pid_t> pids) {
  std::map<pid_t, std::vector<pid_t>> children;
  for (const pid_t pid : list_processes())
    if (const auto process = read_process(pid); process.ok() && process->state != 'Z')
      children[process->parent].push_back(pid);
  std::set<pid_t> found;
  while (!pids.empty()) {
    const pid_t pid = pids.back();
    pids.pop_back();
    if (pid == ::getpid() || !found.insert(pid).second) continue;
    const auto& of_it = children[pid];
    pids.insert(pids.end(), of_it.begin(), of_it.end());
  }
  return {found.begin(), found.end()};
}

}  // namespace atys::linux
