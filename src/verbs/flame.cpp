// SPDX-License-Identifier: Apache-2.0
#include "verbs/flame.h"

#include <filesystem>

#include "reduce/common_names.h"
#include "verbs/view.h"

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

Result<LoadedProfile> load(const std::string& reference, const reduce::FilterOptions& filter,
                           format::Times times = format::Times::AsRead) {
  LoadedProfile loaded = TRY(load_profile(reference, times));
  loaded.profile = TRY(filter_or_fail(std::move(loaded.profile), filter));
  return loaded;
}

std::string type_text(const Profile& profile, size_t column) {
  const profile::ValueType& type = profile.value_types()[column];
  return std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit));
}

// The column of `base` that holds the same as the one that is drawn.
Result<size_t> base_column(const Profile& base, const Profile& fresh, const std::string& value) {
  const std::string wanted = type_text(fresh, TRY(find_value_column(fresh, value)));
  const size_t own = TRY(find_value_column(base, {}));
  for (size_t column = 0; column < base.value_types().size(); ++column)
    if (type_text(base, column) == wanted) return column;
  return fail(ErrorCode::InvalidInput, "cannot compare " + type_text(base, own) + " with " + wanted,
              "choose a value type that both have with --value");
}

Result<WrittenProfile> draw_comparison(const FlameRequest& request, Output output) {
  const LoadedProfile base = TRY(load(request.base, request.filter));
  const LoadedProfile fresh = TRY(load(request.profile, request.filter));
  // Versions in two folders have the same functions all the same.
  const reduce::NamedAlike both = reduce::named_alike(base.profile, fresh.profile);
  // Files of one name in two folders are told apart by the folders.
  const bool has_one_name = base.name == fresh.name;
  output.comparison = {.base = &both.base,
                       .base_column = TRY(base_column(both.base, both.fresh, output.value)),
                       .base_name = has_one_name ? request.base : base.name,
                       .new_name = has_one_name ? request.profile : fresh.name,
                       .widths = request.widths,
                       .is_absolute = request.is_absolute};
  return write_output(both.fresh, output);
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
