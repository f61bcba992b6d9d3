// SPDX-License-Identifier: Apache-2.0
// Which thread of which process a sample was taken on, as far as its labels tell: for formats that show threads apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace atys::format {

// What is not known is empty.
struct ThreadIdentity {
  std::string process_id;
  std::string process_name;
  std::string thread_id;
  std::string thread_name;

  auto operator<=>(const ThreadIdentity&) const = default;
};

struct ThreadGroup {
  ThreadIdentity thread;
  std::vector<uint32_t> rows;  // of the sample table, in its order
};

ThreadIdentity thread_of(const Profile& profile, profile::LabelSetId labels);
// Whether labels of this key are what thread_of() looks at.
bool tells_thread(std::string_view label_key);

// In the order in which the threads first appear. At least one group, also when there are no samples.
std::vector<ThreadGroup> group_by_thread(const Profile& profile);

}  // namespace atys::format
