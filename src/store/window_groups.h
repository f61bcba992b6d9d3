// SPDX-License-Identifier: Apache-2.0
// The groups that windows fall into, and the parts of those.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/profile_store.h"
#include "store/seen_series.h"
#include "store/window_filter.h"

namespace atys::store {

class GroupList {
 public:
  static Result<GroupList> create(const Grouping& grouping);

  // Notes windows of a series. ResourceExhausted: it makes one group too many.
  Result<> add(const SeenSeries& seen);
  // The number of the group that windows with these names are of; one more where there was none.
  size_t position_of(const SeenSeries& names);
  const std::vector<WindowGroup>& groups() const { return groups_; }
  // In their order.
  std::vector<WindowGroup> finish() &&;

  // Which part of which group a window is.
  struct Part {
    size_t group = 0;
    size_t piece = 0;
    bool is_newest = false;
    auto operator<=>(const Part&) const = default;
  };
  Part part_of(size_t group, int64_t start_ns) const;

 private:
  explicit GroupList(Grouping grouping) : grouping_(std::move(grouping)) {}

  using Key = std::pair<Stretch, std::string>;
  Grouping grouping_;
  std::map<Key, size_t> positions_;
  std::vector<WindowGroup> groups_;
};

// By group, in their order, then by piece.
void sort_parts(std::vector<GroupPart>& parts);

// Names that may become more than anybody wants to read: the first of them are kept.
class NameList {
 public:
  explicit NameList(size_t most) : most_(most) {}
  void add(std::string_view name);
  Names finish() &&;

 private:
  size_t most_;
  bool has_more_ = false;
  std::set<std::string, std::less<>> names_;
};

// What a series can be asked for by, and what it has of a name.
void add_names(const SeenSeries& seen, NameList& names);
void add_value(const SeenSeries& seen, std::string_view name, NameList& values);

WindowNames names_of(const SeenSeries& seen);

}  // namespace atys::store
