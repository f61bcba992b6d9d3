// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/instance.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "fleet/window_labels.h"

namespace atys::fleet {

namespace {

constexpr size_t kIdDigits = 64;
constexpr size_t kLongestText = 200;
constexpr size_t kShortId = 12;

bool is_id(std::string_view text) {
  return text.size() == kIdDigits &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

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

std::string container_in(std::string_view cgroup) {
  while (!cgroup.empty()) {
    const size_t slash = cgroup.find_last_of('/');
    std::string_view folder = slash == std::string_view::npos ? cgroup : cgroup.substr(slash + 1);
    if (folder.ends_with(".scope")) folder.remove_suffix(6);
    if (const size_t dash = folder.find_last_of("-:"); dash != std::string_view::npos) folder.remove_prefix(dash + 1);
    if (is_id(folder)) return std::string(folder);
    if (slash == std::string_view::npos) break;
    cgroup = cgroup.substr(0, slash);
  }
  return {};
}

Instance instance_of(const linux::ProcessInfo& process, const std::vector<std::string>& environment) {
  Instance instance;
  instance.version = version_of(environment);
  instance.container = container_in(process.cgroup);
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
