// SPDX-License-Identifier: Apache-2.0
#include "verbs/target_pids.h"

#include "capture/target.h"

namespace atys::verbs {

Result<std::vector<int>> pids_of_service(const std::string& rule) {
  const std::vector<pid_t> pids =
      TRY(capture::find_processes(capture::ServiceTarget{TRY(capture::ServiceRule::parse(rule))}));
  return std::vector<int>(pids.begin(), pids.end());
}

}  // namespace atys::verbs
