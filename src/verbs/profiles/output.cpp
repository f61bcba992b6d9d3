// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/output.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/nearest.h"
#include "reduce/confidence.h"
#include "store/library.h"
#include "verbs/profiles/profile_info.h"

namespace atys::verbs {

namespace {

std::vector<std::string> writable_formats() {
  std::vector<std::string> names;
  for (const auto& format : format::all_formats())
    if (format->descriptor().can_write) names.emplace_back(format->descriptor().name);
  return names;
}

std::string say_a_format() {
  std::string text;
  for (const std::string& name : writable_formats()) text += (text.empty() ? "use --to with one of: " : ", ") + name;
  return text;
}

// What the profile has and the format cannot carry, in words.
std::vector<std::string> left_out_by(const format::FormatDescriptor& format, const Profile& profile, size_t column) {
  const auto& keeps = format.keeps;
  std::vector<std::string> left_out;
  const size_t types = profile.value_types().size();
  if (!keeps.all_value_types && types > 1)
    left_out.push_back(std::to_string(types - 1) + " of " + std::to_string(types) + " value types");
  // Who reads it again has no intervals then.
  const bool has_only_values = !keeps.all_value_types && !keeps.header && format.can_read;
  if (has_only_values && profile.text(profile.value_types()[column].type) != "samples" &&
      reduce::count_samples(profile, column).is_known)
    left_out.emplace_back("how many samples there were");
  if (!keeps.labels && profile.labels.size() > 1) left_out.emplace_back("labels");
  if (!keeps.addresses && profile.mappings.size() > 1) left_out.emplace_back("addresses and mappings");
  if (!keeps.places &&
      std::ranges::any_of(profile.functions.rows(), [](const auto& f) { return f.filename != profile::kNoString; })) {
    left_out.emplace_back("files and lines");
  }
  if (!keeps.times && profile.samples.has_times()) left_out.emplace_back("times of samples");
  if (!keeps.header && (!profile.losses.empty() || !profile.provenance.empty()))
    left_out.emplace_back("loss and provenance");
  return left_out;
}

}  // namespace

Result<const format::Format*> choose_format(const Output& output) {
  const format::Format* chosen =
      output.format.empty() ? format::format_for_path(output.path) : format::find_format(output.format);
  if (output.format.empty() && output.path.empty()) chosen = format::find_format("pprof");
  std::error_code ignored;
  if (chosen == nullptr && output.format.empty() && std::filesystem::is_directory(output.path, ignored))
    return fail(ErrorCode::InvalidInput, "cannot write " + output.path + ": it is a folder", "name a file in it");
  if (chosen == nullptr) {
    const std::string what = output.format.empty() ? "tell the format of " + output.path + ": no format has that extension"
                                                   : "write '" + output.format + "': no such format";
    return fail(ErrorCode::InvalidInput, "cannot " + what,
                output.format.empty() ? say_a_format() : did_you_mean(output.format, writable_formats(), say_a_format()));
  }
  if (!chosen->descriptor().can_write) {
    return fail(ErrorCode::Unsupported, "cannot write " + std::string(chosen->descriptor().name) + ": it can only be read",
                say_a_format());
  }
  return chosen;
}

Result<WrittenProfile> write_output(const Profile& profile, const Output& output) {
  const format::Format& format = *TRY(choose_format(output));
  const size_t column = TRY(find_value_column(profile, output.value));
  WrittenProfile written;
  const reduce::SampleCount count = reduce::count_samples(profile, column);
  written.samples = std::round(count.samples);
  written.is_count_known = count.is_known;
  written.format = format.descriptor().name;
  if (output.path.empty()) {
    const store::LibraryEntry entry = TRY(store::Library::open_default().keep(profile));
    written.id = entry.id;
    written.path = entry.path;
    return written;
  }
  const format::WriteOptions options{
      .value_column = column, .title = output.title, .inverted = output.inverted, .comparison = output.comparison};
  TRY(format::write_profile_file(profile, format, options, output.path));
  written.path = output.path;
  written.left_out = left_out_by(format.descriptor(), profile, column);
  return written;
}

}  // namespace atys::verbs
