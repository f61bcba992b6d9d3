// SPDX-License-Identifier: Apache-2.0
// What is known of a process as an instance of a service: which container and pod it is in, and which version it runs. Only
// by what this node shows: control groups and the environment that the process was started with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "linux/process.h"

namespace atys::fleet {

struct Instance {
  std::string id;  // of the pod's container, the container, or the process
  std::string version;
  std::string container;  // 64 hexadecimal digits, or as many as there are
  std::string pod;
  std::string pod_namespace;

  // As attributes of OpenTelemetry; those that are known.
  std::vector<std::pair<std::string, std::string>> labels() const;

  bool operator==(const Instance&) const = default;
};

Instance instance_of(const linux::ProcessInfo& process, const std::vector<std::string>& environment);

}  // namespace atys::fleet
