// SPDX-License-Identifier: Apache-2.0
#include "reduce/code_origins.h"

#include <algorithm>
#include <optional>

namespace atys::reduce {

using namespace profile;

namespace {

// Calls `visit(entity)` leaf first, until it returns false.
template <typename Visit>
void walk(const Profile& profile, const Attribution& attribution, size_t row, const Visit& visit) {
  for (const FrameId frame : profile.stacks[profile.samples.stack(row)]) {
    for (const EntityId entity : attribution.of_frame(frame)) {
      if (!visit(entity)) return;
    }
  }
}

}  // namespace

CodeOrigins::CodeOrigins(const Profile& profile, size_t column, const OwnCode& code) : attribution_(profile, {}) {
  for (const Entity& entity : attribution_.entities()) origins_.push_back(code.of(entity));
  double reached[3] = {};  // the value of the samples whose best origin is this one
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    sum_ += value;
    std::optional<Origin> leaf;
    Origin best = Origin::Runtime;
    walk(profile, attribution_, row, [&](EntityId entity) {
      if (!leaf) leaf = of(entity);
      best = std::min(best, of(entity));
      return best != Origin::Own;
    });
    if (!leaf) continue;
    self_[static_cast<size_t>(*leaf)] += value;
    reached[static_cast<size_t>(best)] += value;
  }
  if (reached[0] == 0) level_ = reached[1] == 0 ? Origin::Runtime : Origin::Library;
  for (size_t i = 0; i < 3; ++i) {
    if (i > static_cast<size_t>(level_)) outside_ += reached[i];
  }
}

std::vector<double> CodeOrigins::charged(const Profile& profile, size_t column, Origin most) const {
  std::vector<double> values(origins_.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    walk(profile, attribution_, row, [&](EntityId entity) {
      if (of(entity) > most) return true;
      values[static_cast<size_t>(entity)] += value;
      return false;
    });
  }
  return values;
}

}  // namespace atys::reduce
