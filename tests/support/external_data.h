// SPDX-License-Identifier: Apache-2.0
// Real profiles from elsewhere, which are not part of this repository: the folder $ATYS_EXTERNAL_DATA, by default
// shared/data beside the repository. A test that uses them is skipped where they are not.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace atys::test {

inline std::filesystem::path external_data() {
  const char* given = std::getenv("ATYS_EXTERNAL_DATA");
  const auto repository = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  return given != nullptr ? std::filesystem::path(given) : repository / ".." / "shared" / "data";
}

}  // namespace atys::test
