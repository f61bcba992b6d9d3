// SPDX-License-Identifier: Apache-2.0
// Control groups, version 1, version 2 and both at once: from what a user types to a folder, and to the processes below it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

// One mounted tree of groups. Version 1 has one per controller, version 2 one in all.
struct CgroupHierarchy {
  std::string mount;  // "/sys/fs/cgroup/memory"
  bool is_unified = false;
};

struct Cgroup {
  std::string directory;
  std::string path;  // below its hierarchy: "/system.slice/nginx.service"
  bool is_unified = false;
};

// Of /proc/self/mountinfo; the unified one first.
std::vector<CgroupHierarchy> parse_cgroup_mounts(std::string_view mountinfo);
std::vector<CgroupHierarchy> cgroup_hierarchies();

// `typed` is a folder below a hierarchy, a path inside one, a container's id (12 digits or more of it), or the name of a
// systemd unit, with or without its suffix. Where several groups fit, those of the unified hierarchy win; if there still are
// several the error names them.
Result<Cgroup> resolve_cgroup(std::string_view typed, const std::vector<CgroupHierarchy>& hierarchies);
Result<Cgroup> resolve_cgroup(std::string_view typed);

// Processes of the group and of all groups below it, in rising order, each once.
Result<std::vector<pid_t>> processes_in(const Cgroup& group);

// The number by which BPF programs know a group of version 2.
Result<uint64_t> cgroup_id(const Cgroup& group);

// Whether the name of a folder is that of a container whose id begins with `digits`: "docker-4f5e….scope", "4f5e…".
bool is_container_folder(std::string_view folder, std::string_view digits);

// The id of the container in a group's path, as Docker, containerd, CRI-O and Podman name them; empty: none.
std::string container_in(std::string_view path);

}  // namespace atys::linux
