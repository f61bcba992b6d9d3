// SPDX-License-Identifier: Apache-2.0
#include "verbs/list.h"

#include <algorithm>

namespace atys::verbs {

Result<ListAnswer> list(const ListRequest& request) {
  const store::Library library = store::Library::open_default();
  ListAnswer answer;
  answer.home = library.home();
  std::vector<store::LibraryEntry> entries = TRY(library.list());
  answer.in_all = entries.size();
  const size_t first = std::min(request.skip, entries.size());
  const size_t count = std::min(request.most, entries.size() - first);
  for (size_t i = first; i < first + count; ++i) {
    ListRow row{std::move(entries[i]), {}, {}};
    auto profile = library.read(row.entry);
    if (!profile.ok()) {
      row.error = profile.error().message;
    } else if (!profile->value_types().empty()) {
      const LoadedProfile loaded{profile.take(), row.entry.id, row.entry.id.substr(0, 12)};
      row.profile = describe(loaded, loaded.profile.default_value_column());
    }
    answer.rows.push_back(std::move(row));
  }
  return answer;
}

}  // namespace atys::verbs
