// SPDX-License-Identifier: Apache-2.0
#include "verbs/detect.h"

#include <algorithm>

#include "capture/target/target.h"

namespace atys::verbs {

namespace {

Result<std::vector<pid_t>> processes_of(const DetectRequest& request) {
  std::vector<pid_t> pids = request.pids;
  std::vector<capture::Target> targets;
  if (!request.service.empty())
    targets.emplace_back(capture::ServiceTarget{TRY(capture::ServiceRule::parse(request.service))});
  if (!request.cgroup.empty()) targets.emplace_back(capture::CgroupTarget{request.cgroup});
  for (const capture::Target& target : targets) {
    const auto found = TRY(capture::find_processes(target));
    pids.insert(pids.end(), found.begin(), found.end());
  }
  std::ranges::sort(pids);
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

}  // namespace

Result<> check(const DetectRequest& request) {
  if (request.pids.empty() && request.service.empty() && request.cgroup.empty())
    return fail(ErrorCode::InvalidInput, "no process was named", "atys detect PID, or --service, or --cgroup");
  if (!request.service.empty()) TRY(capture::ServiceRule::parse(request.service));
  return {};
}

Result<DetectAnswer> detect(const DetectRequest& request) {
  DetectAnswer answer;
  for (const pid_t pid : TRY(processes_of(request))) {
    auto detection = capture::detect(pid);
    const bool was_named = std::ranges::count(request.pids, pid) > 0;
    if (!detection.ok() && was_named) return detection.error();
    if (detection.ok()) answer.processes.push_back(detection.take());
  }
  if (answer.processes.empty()) return fail(ErrorCode::InvalidInput, "no process was named", "atys detect PID");
  return answer;
}

}  // namespace atys::verbs
