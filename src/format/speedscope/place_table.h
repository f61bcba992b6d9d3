// SPDX-License-Identifier: Apache-2.0
// The frames of a speedscope file: places in the code, each once. One of our frames is several of them where functions were
// inlined, and several of ours are one of them where only the address differs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/profile.h"

namespace atys::format::speedscope {

struct Place {
  profile::StringId name{};
  profile::StringId file{};
  int64_t line = 0;
  int64_t column = 0;

  bool operator==(const Place&) const = default;
};

inline uint64_t hash(const Place& place) {
  const uint64_t names = uint64_t{profile::raw(place.name)} << 32 | profile::raw(place.file);
  return profile::hash_mix(profile::hash_mix(names ^ profile::hash_seed(), static_cast<uint64_t>(place.line)),
                           static_cast<uint64_t>(place.column));
}

class PlaceTable {
 public:
  // Of the frames that samples use; other frames have no places.
  explicit PlaceTable(const Profile& profile);

  size_t size() const { return places_.size() - 1; }
  const Place& operator[](size_t position) const { return places_.rows()[position + 1]; }
  std::string_view text(profile::StringId id) const { return strings_.view(id); }

  // Positions in the table, outermost first.
  std::span<const uint32_t> of(profile::FrameId frame) const {
    const uint32_t i = profile::raw(frame);
    return std::span(positions_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }

 private:
  enum class PlaceId : uint32_t {};

  void add(const Profile& profile, const profile::Frame& frame);
  void add(std::string_view name, std::string_view file, int64_t line, int64_t column);

  profile::StringTable strings_;
  profile::RowTable<Place, PlaceId> places_;  // the empty row at 0 is not used
  std::vector<uint32_t> positions_;           // of all frames, end to end
  std::vector<size_t> begins_;                // per frame, and the end of the last
};

}  // namespace atys::format::speedscope
