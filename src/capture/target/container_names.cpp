// SPDX-License-Identifier: Apache-2.0
#include "capture/target/container_names.h"

#include "base/json.h"
#include "linux/proc_file.h"

namespace atys::capture {

namespace {

constexpr size_t kMostBytes = size_t{4} << 20;
constexpr size_t kLongestName = 200;
constexpr const char* kDockerFolder = "/var/lib/docker/containers/";
constexpr const char* kPodmanList = "/var/lib/containers/storage/overlay-containers/containers.json";

const Json* member(const Json* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

std::string text(const Json* value) {
  return value != nullptr && value->is_string() ? value->get<std::string>().substr(0, kLongestName) : std::string();
}

}  // namespace

std::string name_in_docker_config(std::string_view json) {
  const Result<Json> config = parse_json(json);
  if (!config.ok()) return {};
  const Json* labels = member(member(&*config, "Config"), "Labels");
  const std::string project = text(member(labels, "com.docker.compose.project"));
  const std::string service = text(member(labels, "com.docker.compose.service"));
  if (!service.empty()) return project.empty() ? service : project + "-" + service;
  std::string name = text(member(&*config, "Name"));
  return name.starts_with('/') ? name.substr(1) : name;
}

std::string name_in_podman_list(std::string_view json, std::string_view id) {
  const Result<Json> list = parse_json(json);
  if (!list.ok() || !list->is_array()) return {};
  for (const Json& container : *list) {
    const Json* names = member(&container, "names");
    if (text(member(&container, "id")) == id && names != nullptr && names->is_array() && !names->empty())
      return text(&names->front());
  }
  return {};
}

std::string find_container_name(const std::string& id) {
  if (const auto config = linux::read_proc_file(kDockerFolder + id + "/config.v2.json", kMostBytes); config.ok())
    if (std::string name = name_in_docker_config(*config); !name.empty()) return name;
  if (const auto list = linux::read_proc_file(kPodmanList, kMostBytes); list.ok()) return name_in_podman_list(*list, id);
  return {};
}

}  // namespace atys::capture
