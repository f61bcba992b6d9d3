// SPDX-License-Identifier: Apache-2.0
// One file out of a zip archive (a jar is one) that is in memory. Archives of more than 4 GiB, encrypted ones and methods
// other than deflate are refused.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace atys {

// The content of the entry with that name, checked by its checksum. NotFound: there is none. More than `limit` bytes is an
// error.
Result<Bytes> read_zip_entry(std::span<const std::byte> archive, std::string_view name, size_t limit);

}  // namespace atys
