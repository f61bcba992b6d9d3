// SPDX-License-Identifier: Apache-2.0
// The version of a Java machine, as libjvm says it of itself.
#pragma once

#include <string>
#include <string_view>

#include "capture/target/runtime_signs.h"

namespace atys::capture::java {

// Of "OpenJDK 64-Bit Server VM (25.181-b13) for linux-amd64 JRE (1.8.0_181-b13), built on …": what is behind JRE.
std::string version_in(std::string_view constants);

std::string version_of_file(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view base_name);

}  // namespace atys::capture::java
