// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/target_pids.h"

#include "capture/target/target.h"
#include "linux/process_tree.h"

namespace atys::verbs {

Result<std::vector<int>> pids_of_service(const std::string& rule) {
  const std::vector<pid_t> pids =
      TRY(capture::find_processes(capture::ServiceTarget{TRY(capture::ServiceRule::parse(rule))}));
  return std::vector<int>(pids.begin(), pids.end());
}

std::vector<int> with_children(const std::vector<int>& pids) {
  const std::vector<pid_t> all = linux::with_descendants({pids.begin(), pids.end()});
  return {all.begin(), all.end()};
}

}  // namespace atys::verbs
