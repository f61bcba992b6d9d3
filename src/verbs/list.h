// SPDX-License-Identifier: Apache-2.0
// What is in the local library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/library.h"
#include "verbs/profiles/profile_info.h"

namespace atys::verbs {

struct ListRow {
  store::LibraryEntry entry;
  ProfileInfo profile;
  std::string error;  // why the entry cannot be read; empty if it can
};

struct ListRequest {
  size_t skip = 0;
  size_t most = SIZE_MAX;
};

struct ListAnswer {
  std::string home;
  std::vector<ListRow> rows;
  size_t in_all = 0;  // also those that were not asked for
};

Result<ListAnswer> list(const ListRequest& request = {});

}  // namespace atys::verbs
