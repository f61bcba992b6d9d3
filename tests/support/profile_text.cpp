// SPDX-License-Identifier: Apache-2.0
#include "support/profile_text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <vector>

namespace atys::test {

using namespace profile;

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

FrameId frame_from_text(Profile& profile, std::string_view text) {
  const size_t bracket = text.ends_with(']') ? text.rfind('[') : std::string_view::npos;
  if (bracket == std::string_view::npos) return profile.named_frame(text);
  return profile.named_frame(text.substr(0, bracket), {}, 0, text.substr(bracket + 1, text.size() - bracket - 2));
}

LabelSetId labels_from_text(Profile& profile, std::string_view text) {
  std::vector<LabelId> labels;
  for (const std::string_view pair : split(text, ',')) {
    const size_t equals = pair.find('=');
    labels.push_back(profile.string_label(pair.substr(0, equals), pair.substr(equals + 1)));
  }
  return profile.label_set(labels);
}

}  // namespace

Profile profile_from_text(std::string_view text, std::string_view type, std::string_view unit) {
  Profile profile;
  profile.add_value_type(type, unit);
  for (std::string_view line : split(text, '\n')) {
    const size_t space = line.rfind(' ');
    int64_t value = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), value);
    line = line.substr(0, space);
    LabelSetId labels{};
    if (const size_t brace = line.find(" {"); brace != std::string_view::npos) {
      labels = labels_from_text(profile, line.substr(brace + 2, line.size() - brace - 3));
      line = line.substr(0, brace);
    }
    std::vector<FrameId> frames;
    for (const std::string_view frame : split(line, ';')) frames.push_back(frame_from_text(profile, frame));
    std::ranges::reverse(frames);
    profile.samples.add(profile.stacks.intern(frames), labels, {&value, 1});
  }
  return profile;
}

std::string to_text(const Profile& profile) {
  std::map<std::string, std::vector<int64_t>> lines;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::string line;
    const auto leaf_first = profile.stacks[profile.samples.stack(row)];
    std::vector<FrameId> frames(leaf_first.rbegin(), leaf_first.rend());
    for (const FrameId frame : frames) {
      line += (line.empty() ? "" : ";") + frame_name(profile, frame);
      const auto kind = profile.text(profile.frames[frame].kind);
      if (!kind.empty()) line += "[" + std::string(kind) + "]";
    }
    std::string labels;
    for (const LabelId id : profile.label_sets[profile.samples.labels(row)]) {
      const Label& label = profile.labels[id];
      labels += (labels.empty() ? "" : ",") + std::string(profile.text(label.key)) + "=" +
                (label.type == LabelType::Int ? std::to_string(label.number) : std::string(profile.text(label.text)));
    }
    if (!labels.empty()) line += " {" + labels + "}";
    auto& values = lines[line];
    values.resize(profile.value_types().size());
    for (size_t type = 0; type < values.size(); ++type) {  // wraps where a sum is too large, whatever the order of rows
      values[type] = static_cast<int64_t>(static_cast<uint64_t>(values[type]) +
                                          static_cast<uint64_t>(profile.samples.value(row, type)));
    }
  }
  std::ostringstream out;
  for (const auto& [line, values] : lines) {
    out << line;
    for (const int64_t value : values) out << ' ' << value;
    out << '\n';
  }
  return out.str();
}

Profile loaded_at(uint64_t start) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const auto mapping =
      profile.mappings.intern({.start = start, .limit = start + 0x1000, .filename = profile.strings.intern("prog")});
  const auto frame = profile.frames.intern({.address = start + 0x42, .mapping = mapping});
  const int64_t one = 1;
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&one, 1});
  return profile;
}

}  // namespace atys::test
