// SPDX-License-Identifier: Apache-2.0
// Go compiles to native code and keeps frame pointers: the native kernel shows all of it, with names, files and lines from
// the table that Go puts into every binary (symbolize/go_table.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace atys::capture::go {

// "1.22.3" from a .go.buildinfo section; empty: an older layout or none.
std::string version_in(std::span<const std::byte> build_info);

}  // namespace atys::capture::go
