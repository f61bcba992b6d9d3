// SPDX-License-Identifier: Apache-2.0
#include "reduce/code_origins.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "reduce/runtime_work.h"

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

std::vector<CodeOrigins::Callee> CodeOrigins::costliest_callees(const Profile& profile, size_t column, Origin most) const {
  std::unordered_map<uint64_t, double> calls;  // by caller and callee
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    std::optional<EntityId> callee;
    walk(profile, attribution_, row, [&](EntityId entity) {
      if (of(entity) <= most) {
        if (callee) calls[uint64_t{static_cast<uint32_t>(entity)} << 32 | static_cast<uint32_t>(*callee)] += value;
        return false;
      }
      callee = entity;
      return true;
    });
  }
  std::vector<Callee> costliest(origins_.size());
  for (const auto& [key, value] : calls) {
    Callee& best = costliest[key >> 32];
    const EntityId entity{static_cast<uint32_t>(key)};
    if (value > best.value || (value == best.value && entity < best.entity)) best = {entity, value};
  }
  return costliest;
}

std::vector<std::pair<std::string, double>> CodeOrigins::runtime_works(const Profile& profile, size_t column) const {
  std::map<std::string, double, std::less<>> works;
  std::vector<std::string_view> names;
  for (size_t row = 0; level_ != Origin::Runtime && row < profile.samples.size(); ++row) {
    names.clear();
    bool is_all_runtime = true;
    walk(profile, attribution_, row, [&](EntityId entity) {
      names.push_back(attribution_.entities()[static_cast<size_t>(entity)].name);
      return is_all_runtime = is_runtime(entity);
    });
    if (is_all_runtime) works[std::string(runtime_work(names))] += static_cast<double>(profile.samples.value(row, column));
  }
  std::vector<std::pair<std::string, double>> sorted(works.begin(), works.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

}  // namespace atys::reduce
