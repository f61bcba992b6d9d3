// SPDX-License-Identifier: Apache-2.0
// Strings and bytes of Python in another process's memory.
#pragma once

#include <optional>
#include <string>

#include "capture/python/layout.h"

namespace atys::capture::python {

constexpr size_t kLongestText = 4096;
constexpr size_t kLongestBytes = size_t{1} << 20;

// A str, as UTF-8; longer ones are cut. Nothing: it is none, or it is gone.
std::optional<std::string> read_text(linux::MemoryReader& memory, const Layout& layout, uint64_t object);
// A bytes object.
std::optional<std::string> read_bytes(linux::MemoryReader& memory, const Layout& layout, uint64_t object);

}  // namespace atys::capture::python
