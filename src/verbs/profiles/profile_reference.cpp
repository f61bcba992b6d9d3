// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/profile_reference.h"

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "fleet/service_query.h"
#include "format/format.h"
#include "store/library.h"
#include "verbs/profiles/ask_controller.h"

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

// Where braces that begin there end; what is in quotes ends nothing.
size_t end_of_braces(std::string_view text, size_t brace) {
  bool is_quoted = false;
  for (size_t i = brace; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '}' && !is_quoted) return i;
    if (text[i] == '\\' && is_quoted) ++i;
  }
  return text.size();
}

// Where the first of them ends.
size_t end_of_first(std::string_view text) {
  const size_t comma = std::min(text.find(','), text.size());
  const size_t brace = text.find('{');
  if (!is_of_fleet(text) || brace >= comma) return comma;
  return std::min(text.find(',', end_of_braces(text, brace)), text.size());
}

}  // namespace

bool is_of_fleet(std::string_view reference) { return reference.starts_with(fleet::kServicePrefix); }

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t length = end_of_first(std::string_view(text).substr(start));
    if (length > 0) parts.push_back(text.substr(start, length));
    start += length + 1;
  }
  return parts;
}

std::vector<std::string> split_references(const std::string& text) {
  std::error_code error;
  if (!is_of_fleet(text) && std::filesystem::exists(text, error)) return {text};
  return split_at_commas(text);
}

Result<LoadedProfile> load_profile(const std::string& reference, format::Times times) {
  if (is_of_fleet(reference)) return load_from_controller(reference);
  std::error_code ignored;
  const bool is_file = reference == "-" || std::filesystem::exists(reference, ignored);
  if (!is_file && store::looks_like_id(reference)) {
    const store::Library library = store::Library::open_default();
    const store::LibraryEntry entry = TRY(library.find(reference));
    return LoadedProfile{TRY(library.read(entry)), entry.id, entry.id.substr(0, 12)};
  }
  if (!is_file && ignored.value() == 0)
    return fail(ErrorCode::NotFound, "cannot open " + reference + ": No such file or directory",
                "check the path; atys list shows what was recorded");
  std::string name = reference == "-" ? "standard input" : std::filesystem::path(reference).filename().string();
  return LoadedProfile{TRY(format::read_profile_file(reference, times)), {}, std::move(name)};
}

}  // namespace atys::verbs
