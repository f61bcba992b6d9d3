// SPDX-License-Identifier: Apache-2.0
#include "reduce/top.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace atys::reduce {

using namespace profile;

namespace {

class Tally {
 public:
  explicit Tally(size_t entities) : self_(entities), total_(entities), last_row_(entities, SIZE_MAX) {}

  void add_self(EntityId id, double value) { self_[index(id)] += value; }
  // Counts an entity once per row, however often the row's stack passes through it.
  void add_total(EntityId id, double value, size_t row) {
    if (std::exchange(last_row_[index(id)], row) != row) total_[index(id)] += value;
  }
  double self(size_t entity) const { return self_[entity]; }
  double total(size_t entity) const { return total_[entity]; }

 private:
  static size_t index(EntityId id) { return static_cast<size_t>(id); }

  std::vector<double> self_;
  std::vector<double> total_;
  std::vector<size_t> last_row_;
};

void tally_frames(const Profile& profile, size_t column, const Attribution& attribution, Tally& tally) {
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    bool is_leaf = true;
    for (const FrameId frame : profile.stacks[profile.samples.stack(row)]) {
      for (const EntityId entity : attribution.of_frame(frame)) {
        if (std::exchange(is_leaf, false)) tally.add_self(entity, value);
        tally.add_total(entity, value, row);
      }
    }
  }
}

void tally_labels(const Profile& profile, size_t column, const Attribution& attribution, Tally& tally) {
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const auto value = static_cast<double>(profile.samples.value(row, column));
    const EntityId entity = attribution.of_labels(profile.samples.labels(row));
    tally.add_self(entity, value);
    tally.add_total(entity, value, row);
  }
}

}  // namespace

bool is_by_line(const Top& top) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  return std::ranges::any_of(top.rows,
                             [&](const TopRow& row) { return !seen.emplace(row.entity.name, row.entity.file).second; });
}

Top top(const Profile& profile, size_t column, const Dimension& dimension) {
  const Attribution attribution(profile, dimension);
  Tally tally(attribution.entities().size());
  if (dimension.is_of_frames()) {
    tally_frames(profile, column, attribution, tally);
  } else {
    tally_labels(profile, column, attribution, tally);
  }

  Top result;
  for (const int64_t value : profile.samples.values(column)) result.value_total += static_cast<double>(value);
  const SampleCount count = count_samples(profile, column);
  result.samples = count.effective;
  result.is_count_known = count.is_known;
  for (size_t i = 0; i < attribution.entities().size(); ++i) {
    if (tally.self(i) == 0 && tally.total(i) == 0) continue;
    const double share = result.value_total == 0 ? 0 : tally.self(i) / result.value_total;
    result.rows.push_back({attribution.entities()[i], tally.self(i), tally.total(i), share_interval(share, count)});
  }
  std::ranges::sort(result.rows, [](const TopRow& a, const TopRow& b) {
    return std::tuple(-a.self, -a.total, std::string_view(a.entity.name), std::string_view(a.entity.file), a.entity.line) <
           std::tuple(-b.self, -b.total, std::string_view(b.entity.name), std::string_view(b.entity.file), b.entity.line);
  });
  return result;
}

}  // namespace atys::reduce
