// SPDX-License-Identifier: Apache-2.0
#include "format/collapsed/name_table.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "format/collapsed/annotation.h"

namespace atys::format::collapsed {

using namespace profile;

namespace {

// Separators become what cannot be mistaken for them; blanks at the ends would be taken for those around the count.
std::string safe_name(std::string_view name) {
  std::string safe(name);
  for (char& c : safe) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  safe.erase(safe.find_last_not_of(' ') + 1);
  safe.erase(0, safe.find_first_not_of(' '));
  return safe.empty() ? "?" : safe;
}

}  // namespace

NameTable::NameTable(const Profile& profile) : profile_(&profile), by_frame_(profile.frames.size()) {}

std::span<const NameId> NameTable::names_of(FrameId frame) {
  NameListId& known = by_frame_[raw(frame)];
  if (known == NameListId{0}) known = make_names(profile_->frames[frame]);
  return lists_[known];
}

NameListId NameTable::make_names(const Frame& frame) {
  if (frame.lines == LineListId{0}) {
    const NameId name =
        intern(safe_name(unresolved_name(*profile_, frame)) + std::string(suffix_of_kind(profile_->text(frame.kind))));
    return lists_.intern({&name, 1});
  }
  const auto next = static_cast<uint32_t>(resolved_.size());
  const uint64_t hash = hash_mix((uint64_t{raw(frame.lines)} << 32 | raw(frame.kind)) ^ hash_seed(), 1);
  const uint32_t found = resolved_index_.find_or_add(hash, next, [&](uint32_t other) {
    return resolved_[other].lines == frame.lines && resolved_[other].kind == frame.kind;
  });
  if (found == next) resolved_.push_back({frame.lines, frame.kind, names_of_lines(frame)});
  return resolved_[found].names;
}

NameListId NameTable::names_of_lines(const Frame& frame) {
  const auto lines = profile_->lines[frame.lines];
  scratch_.clear();
  for (size_t i = lines.size(); i-- > 0;) {
    const bool is_outermost = i + 1 == lines.size();
    const std::string_view suffix = is_outermost ? suffix_of_kind(profile_->text(frame.kind)) : kInlinedSuffix;
    scratch_.push_back(intern(safe_name(function_name(*profile_, lines[i].function)) + std::string(suffix)));
  }
  return lists_.intern(scratch_);
}

std::vector<uint32_t> NameTable::ranks() const {
  const auto precedes = [&](NameId a, NameId b) {
    const std::string_view left = text(a);
    const std::string_view right = text(b);
    const size_t common = std::min(left.size(), right.size());
    const int order = left.substr(0, common).compare(right.substr(0, common));
    if (order != 0 || left.size() == right.size()) return order < 0;
    return left.size() < right.size() ? ';' < static_cast<unsigned char>(right[common])
                                      : static_cast<unsigned char>(left[common]) < ';';
  };
  std::vector<NameId> sorted(texts_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::sort(sorted, precedes);
  std::vector<uint32_t> ranks(sorted.size());
  for (uint32_t i = 0; i < sorted.size(); ++i) ranks[sorted[i]] = i;
  return ranks;
}

}  // namespace atys::format::collapsed
