// SPDX-License-Identifier: Apache-2.0
#include "verbs/profile_reference.h"

#include <filesystem>

#include "format/format.h"
#include "store/library.h"

namespace atys::verbs {

Result<LoadedProfile> load_profile(const std::string& reference) {
  std::error_code ignored;
  const bool is_file = reference == "-" || std::filesystem::exists(reference, ignored);
  if (!is_file && store::looks_like_id(reference)) {
    const store::Library library = store::Library::open_default();
    const store::LibraryEntry entry = TRY(library.find(reference));
    return LoadedProfile{TRY(library.read(entry)), entry.id, entry.id.substr(0, 12)};
  }
  if (!is_file && reference.starts_with("service:")) {
    return fail(ErrorCode::Unavailable, "cannot ask for " + reference + ": no controller is configured",
                "name a file or an id");
  }
  std::string name = reference == "-" ? "standard input" : std::filesystem::path(reference).filename().string();
  return LoadedProfile{TRY(format::read_profile_file(reference)), {}, std::move(name)};
}

}  // namespace atys::verbs
