// SPDX-License-Identifier: Apache-2.0
// What is in the local library.
#pragma once

#include <string>
#include <vector>

#include "store/library.h"
#include "verbs/profile_info.h"

namespace atys::verbs {

struct ListRow {
  store::LibraryEntry entry;
  ProfileInfo profile;
  std::string error;  // why the entry cannot be read; empty if it can
};

struct ListAnswer {
  std::string home;
  std::vector<ListRow> rows;
};

Result<ListAnswer> list();

}  // namespace atys::verbs
