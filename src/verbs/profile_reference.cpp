// SPDX-License-Identifier: Apache-2.0
#include "verbs/profile_reference.h"

#include <filesystem>

#include "base/clock.h"
#include "fleet/service_query.h"
#include "format/format.h"
#include "store/library.h"
#include "verbs/ask_controller.h"

namespace atys::verbs {

namespace {

Result<LoadedProfile> load_from_controller(const std::string& reference) {
  const fleet::ServiceQuery query =
      TRY(fleet::parse_service_query(reference, static_cast<int64_t>(clock_ns(CLOCK_REALTIME))));
  const std::string bytes = TRY(ask_controller("GET", "/api/v1/profile?" + fleet::to_parameters(query) + "&to_format=otlp"));
  const auto source = borrow_source(reference, as_byte_span(bytes));
  auto profile = format::read_profile(*source);
  if (!profile.ok()) return in_context(reference, profile.error());
  return LoadedProfile{profile.take(), {}, reference};
}

}  // namespace

Result<LoadedProfile> load_profile(const std::string& reference, format::Times times) {
  std::error_code ignored;
  const bool is_file = reference == "-" || std::filesystem::exists(reference, ignored);
  if (!is_file && store::looks_like_id(reference)) {
    const store::Library library = store::Library::open_default();
    const store::LibraryEntry entry = TRY(library.find(reference));
    return LoadedProfile{TRY(library.read(entry)), entry.id, entry.id.substr(0, 12)};
  }
  if (!is_file && reference.starts_with(fleet::kServicePrefix)) return load_from_controller(reference);
  if (!is_file && ignored.value() == 0)
    return fail(ErrorCode::NotFound, "cannot open " + reference + ": No such file or directory",
                "check the path; atys list shows what was recorded");
  std::string name = reference == "-" ? "standard input" : std::filesystem::path(reference).filename().string();
  return LoadedProfile{TRY(format::read_profile_file(reference, times)), {}, std::move(name)};
}

}  // namespace atys::verbs
