// SPDX-License-Identifier: Apache-2.0
#include "verbs/remove.h"

#include "store/library.h"

namespace atys::verbs {

Result<RemoveAnswer> remove(const RemoveRequest& request) {
  const store::Library library = store::Library::open_default();
  std::vector<store::LibraryEntry> entries;
  for (const std::string& id : request.ids) {
    if (!store::looks_like_id(id)) {
      return fail(ErrorCode::InvalidInput, "cannot remove '" + id + "': not an id",
                  "give at least six digits of an id that atys list shows");
    }
    entries.push_back(TRY(library.find(id)));
  }
  RemoveAnswer answer;
  for (const store::LibraryEntry& entry : entries) {
    TRY(library.remove(entry));
    answer.removed.push_back(entry.id);
  }
  return answer;
}

}  // namespace atys::verbs
