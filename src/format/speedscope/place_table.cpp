// SPDX-License-Identifier: Apache-2.0
#include "format/speedscope/place_table.h"

namespace atys::format::speedscope {

using namespace profile;

namespace {

std::vector<bool> used_frames(const Profile& profile) {
  std::vector<bool> frames(profile.frames.size());
  std::vector<bool> stacks(profile.stacks.size());
  for (const StackId stack : profile.samples.stacks()) {
    if (stacks[raw(stack)]) continue;
    stacks[raw(stack)] = true;
    for (const FrameId frame : profile.stacks[stack]) frames[raw(frame)] = true;
  }
  return frames;
}

}  // namespace

PlaceTable::PlaceTable(const Profile& profile) {
  const auto used = used_frames(profile);
  begins_.reserve(used.size() + 1);
  for (uint32_t i = 0; i < used.size(); ++i) {
    begins_.push_back(positions_.size());
    if (used[i]) add(profile, profile.frames[FrameId{i}]);
  }
  begins_.push_back(positions_.size());
}

void PlaceTable::add(const Profile& profile, const Frame& frame) {
  const auto lines = profile.lines[frame.lines];
  if (lines.empty()) add(unresolved_name(profile, frame), {}, 0, 0);
  for (size_t i = lines.size(); i > 0; --i) {
    const Line& line = lines[i - 1];
    add(function_name(profile, line.function), profile.text(profile.functions[line.function].filename), line.line,
        line.column);
  }
}

void PlaceTable::add(std::string_view name, std::string_view file, int64_t line, int64_t column) {
  // Names are never empty, so that no place is the table's empty row.
  const Place place{strings_.intern(name), strings_.intern(file), line, column};
  positions_.push_back(raw(places_.intern(place)) - 1);
}

}  // namespace atys::format::speedscope
