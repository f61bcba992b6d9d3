// SPDX-License-Identifier: Apache-2.0
#include "verbs/list.h"

namespace atys::verbs {

Result<ListAnswer> list() {
  const store::Library library = store::Library::open_default();
  ListAnswer answer;
  answer.home = library.home();
  for (store::LibraryEntry& entry : TRY(library.list())) {
    ListRow row{std::move(entry), {}, {}};
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
