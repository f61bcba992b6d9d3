// SPDX-License-Identifier: Apache-2.0
// What a container is called by who runs it, from the files that Docker and Podman keep.
#pragma once

#include <string>
#include <string_view>

namespace atys::capture {

// Of the service that Compose started it for, "PROJECT-SERVICE"; else the container's own name; empty: not told.
std::string name_in_docker_config(std::string_view json);
// Of the list of all containers that Podman keeps.
std::string name_in_podman_list(std::string_view json, std::string_view id);

// Empty: nobody on this machine says it, or not to us.
std::string find_container_name(const std::string& id);

}  // namespace atys::capture
