// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/instance.h"

#include <algorithm>
#include <initializer_list>

#include "fleet/window_labels.h"
#include "linux/cgroup.h"

namespace atys::fleet {

namespace {

constexpr size_t kLongestText = 200;
constexpr size_t kShortId = 12;

std::string variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1, kLongestText);
  return {};
}

// "a=1,service.version=2.3,b=4"
std::string attribute(const std::string& list, std::string_view key) {
  size_t at = 0;
  while (at < list.size()) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string_view pair = std::string_view(list).substr(at, end - at);
    if (pair.size() > key.size() && pair.starts_with(key) && pair[key.size()] == '=')
      return std::string(pair.substr(key.size() + 1));
    at = end + 1;
  }
  return {};
}

std::string version_of(const std::vector<std::string>& environment) {
  const std::string declared = attribute(variable(environment, "OTEL_RESOURCE_ATTRIBUTES"), kServiceVersion);
  if (!declared.empty()) return declared;
  for (const std::string_view name : {"SERVICE_VERSION", "APP_VERSION", "DD_VERSION", "VERSION"})
    if (std::string value = variable(environment, name); !value.empty()) return value;
  return {};
}

}  // namespace

Instance instance_of(const linux::ProcessInfo& process, const std::vector<std::string>& environment) {
  Instance instance;
  instance.version = version_of(environment);
  instance.container = linux::container_in(process.cgroup);
  if (process.cgroup.find("kubepods") != std::string::npos) {
    const std::string declared = variable(environment, "POD_NAME");
    instance.pod = declared.empty() ? variable(environment, "HOSTNAME") : declared;  // a pod's host name is its name
    instance.pod_namespace = variable(environment, "POD_NAMESPACE");
  }
  instance.id = !instance.pod.empty()         ? instance.pod
                : !instance.container.empty() ? instance.container.substr(0, kShortId)
                                              : std::to_string(process.pid);
  return instance;
}

std::vector<std::pair<std::string, std::string>> Instance::labels() const {
  std::vector<std::pair<std::string, std::string>> all;
  const std::initializer_list<std::pair<std::string_view, const std::string*>> known{{kServiceInstance, &id},
                                                                                     {kServiceVersion, &version},
                                                                                     {kContainerId, &container},
                                                                                     {kPodName, &pod},
                                                                                     {kNamespaceName, &pod_namespace}};
  for (const auto& [key, value] : known)
    if (!value->empty()) all.emplace_back(key, *value);
  return all;
}

}  // namespace atys::fleet
