// SPDX-License-Identifier: Apache-2.0
#include "verbs/flame.h"

#include <filesystem>

#include "reduce/anonymous.h"
#include "verbs/comparison/compared_runs.h"

namespace atys::verbs {

namespace {

// "dir/web.cpu.pb.gz" → "web.cpu"
std::string stem_of(const std::string& reference) {
  std::string name = reference == "-" ? "flame" : std::filesystem::path(reference).filename().string();
  for (const auto& format : format::all_formats()) {
    for (const std::string_view known : format->descriptor().extensions) {
      if (name.size() > known.size() && name.ends_with(known)) return name.substr(0, name.size() - known.size());
    }
  }
  return name;
}

Result<Output> complete(const FlameRequest& request) {
  Output output = request.output;
  if ((output.path.empty() || output.path == "-") && output.format.empty()) output.format = "html";
  const format::FormatDescriptor& format = (*TRY(choose_format(output))).descriptor();
  if (!request.base.empty() && !format.can_compare) {
    return fail(ErrorCode::Unsupported, "cannot compare in " + std::string(format.name) + ": it holds one profile",
                "use html or svg");
  }
  if (output.path.empty()) {
    const std::string before = request.base.empty() ? "" : stem_of(request.base) + "-";
    output.path = before + stem_of(request.profile) + std::string(format.extensions.front());
  }
  return output;
}

// Patterns are of the names that people are shown.
Result<LoadedProfile> load(const std::string& reference, const reduce::FilterOptions& filter, format::Times times) {
  LoadedProfile loaded = TRY(load_profile(reference, times));
  loaded.profile = TRY(filter_or_fail(reduce::name_anonymous_functions(std::move(loaded.profile)), filter));
  return loaded;
}

std::string type_text(const Profile& profile, size_t column) {
  const profile::ValueType& type = profile.value_types()[column];
  return std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit));
}

// The column that holds the same as the one that is drawn.
Result<size_t> column_like(const Profile& profile, const std::string& wanted) {
  for (size_t column = 0; column < profile.value_types().size(); ++column)
    if (type_text(profile, column) == wanted) return column;
  const size_t own = TRY(find_value_column(profile, {}));
  return fail(ErrorCode::InvalidInput, "cannot compare " + type_text(profile, own) + " with " + wanted,
              "choose a value type that both have with --value");
}

Result<WrittenProfile> draw_comparison(const FlameRequest& request, Output output) {
  View view;
  view.value = output.value;
  view.filter = request.filter;
  ComparedRuns runs(request.maps);
  TRY(runs.add(request.base, view, reduce::Side::Base));
  TRY(runs.add(request.profile, view, reduce::Side::Fresh));
  runs.settle();
  const ViewedProfile base = TRY(runs.take(0, view, reduce::Side::Base));
  const ViewedProfile fresh = TRY(runs.take(0, view, reduce::Side::Fresh));
  // What one side has alone is a change.
  if (base.nothing && fresh.nothing) return *base.nothing;
  const std::string wanted = type_text(fresh.loaded.profile, fresh.column);
  // Files of one name in two folders are told apart by the folders.
  const bool has_one_name = base.loaded.name == fresh.loaded.name;
  output.comparison = {.base = &base.loaded.profile,
                       .base_column = TRY(column_like(base.loaded.profile, wanted)),
                       .base_name = has_one_name ? request.base : base.loaded.name,
                       .new_name = has_one_name ? request.profile : fresh.loaded.name,
                       .widths = request.widths,
                       .is_absolute = request.is_absolute};
  return write_output(fresh.loaded.profile, output);
}

}  // namespace

Result<WrittenProfile> flame(const FlameRequest& request) {
  Output output = TRY(complete(request));
  WrittenProfile written;
  if (request.base.empty()) {
    const bool shows_times = (*TRY(choose_format(output))).descriptor().keeps.times;
    const LoadedProfile loaded =
        TRY(load(request.profile, request.filter, shows_times ? format::Times::Kept : format::Times::AsRead));
    if (output.title.empty()) output.title = loaded.name;
    written = TRY(write_output(loaded.profile, output));
  } else {
    written = TRY(draw_comparison(request, std::move(output)));
  }
  written.left_out.clear();  // a picture is expected to leave things out
  return written;
}

}  // namespace atys::verbs
