// SPDX-License-Identifier: Apache-2.0
#include "reduce/flame_functions.h"

namespace atys::reduce {

using namespace profile;

namespace {

constexpr uint32_t kUnknown = UINT32_MAX;

}  // namespace

uint64_t hash(const FlameFunction& f) {
  return hash_mix((uint64_t{raw(f.name)} << 32 | raw(f.file)) ^ hash_seed(),
                  (uint64_t{raw(f.kind)} << 33 | uint64_t{raw(f.module)} << 1) ^ (f.is_inlined ? 1u : 0u));
}

FrameCalls::FrameCalls(const Profile& profile, StringTable& strings, FlameFunctions& functions)
    : profile_(profile),
      names_(profile),
      texts_(strings),
      functions_(functions),
      strings_(profile.strings.size(), kUnknown),
      ranges_(profile.frames.size()) {}

std::span<const FlameCall> FrameCalls::of(FrameId id) {
  Range& range = ranges_[raw(id)];
  if (range.count == 0) {
    range.begin = static_cast<uint32_t>(calls_.size());
    expand(profile_.frames[id]);
    range.count = static_cast<uint32_t>(calls_.size()) - range.begin;
  }
  return {calls_.data() + range.begin, range.count};
}

void FrameCalls::expand(const Frame& frame) {
  FlameFunction function;
  function.kind = string(frame.kind);
  function.module = string(profile_.mappings[frame.mapping].filename);
  const auto lines = profile_.lines[frame.lines];
  if (lines.empty()) {
    function.name = texts_.intern(unresolved_name(profile_, frame));
    calls_.push_back({functions_.intern(function), 0});
  }
  for (size_t i = lines.size(); i-- > 0;) {
    function.name = texts_.intern(names_.of(lines[i].function));
    function.file = texts_.intern(shown_file(profile_, frame, lines[i].function));
    function.is_inlined = i + 1 < lines.size();
    calls_.push_back({functions_.intern(function), lines[i].line});
  }
}

StringId FrameCalls::string(StringId id) {
  uint32_t& known = strings_[raw(id)];
  if (known == kUnknown) known = raw(texts_.intern(profile_.text(id)));
  return StringId{known};
}

}  // namespace atys::reduce
