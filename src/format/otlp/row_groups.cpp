// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/row_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace atys::format::otlp {

using namespace profile;

namespace {

class Grouper {
 public:
  Grouper(const Profile& profile, bool by_columns)
      : profile_(profile),
        by_columns_(by_columns && profile.value_types().size() <= 64),
        contexts_(profile.label_sets.size()) {}

  std::vector<RowGroup> group() {
    for (size_t row = 0; row < profile_.samples.size(); ++row) add(row);
    if (groups_.empty()) add_empty_group();
    add_missing_columns();
    return std::move(groups_);
  }

 private:
  // The labels of a set that are not the sample's own, as numbers; 0 in `known` means not looked at.
  struct Context {
    uint32_t profile = 0, instrumentation = 0, resource = 0;
    bool is_known = false;
  };

  void add(size_t row) {
    const Context context = context_of(profile_.samples.labels(row));
    const bool has_time = profile_.samples.time_ns(row) != 0;
    const uint64_t mask = has_time && by_columns_ ? mask_of(row) : 0;
    const auto key = std::tuple(context.resource, context.instrumentation, context.profile, has_time, mask);
    const auto [found, is_new] = positions_.emplace(key, groups_.size());
    if (is_new) {
      RowGroup& group = groups_.emplace_back();
      group.labels = parts_of(profile_, profile_.samples.labels(row));
      group.resource = context.resource;
      group.instrumentation = context.instrumentation;
      group.has_times = has_time;
      set_columns(group, mask);
    }
    groups_[found->second].rows.push_back(row);
  }

  // What nobody has a sample of is still of somebody: a service that idles says whose window it is by its header.
  void add_empty_group() {
    RowGroup& group = groups_.emplace_back();
    group.labels = parts_of(profile_, profile_.header.attributes);
    group.labels.sample = group.labels.profile = {};  // these are written with the header
    set_columns(group, 0);
  }

  Context context_of(LabelSetId set) {
    Context& context = contexts_[raw(set)];
    if (context.is_known) return context;
    const LabelParts parts = parts_of(profile_, set);
    context = {raw(lists_.intern(parts.profile)), raw(lists_.intern(parts.instrumentation)),
               raw(lists_.intern(parts.resource)), true};
    return context;
  }

  uint64_t mask_of(size_t row) const {
    uint64_t mask = 0;
    for (size_t i = 0; i < profile_.value_types().size(); ++i) mask |= uint64_t{profile_.samples.value(row, i) != 0} << i;
    return mask;
  }

  void set_columns(RowGroup& group, uint64_t mask) {
    for (size_t i = 0; i < profile_.value_types().size(); ++i) {
      if (mask == 0 || (mask >> i & 1) != 0) group.columns.push_back(i);
    }
  }

  void add_missing_columns() {
    std::vector<bool> is_there(profile_.value_types().size());
    for (const RowGroup& group : groups_) {
      for (const size_t column : group.columns) is_there[column] = true;
    }
    for (size_t i = 0; i < is_there.size(); ++i) {
      if (!is_there[i]) groups_.front().columns.push_back(i);
    }
    std::ranges::sort(groups_.front().columns);
  }

  const Profile& profile_;
  bool by_columns_;
  std::vector<Context> contexts_;
  ListTable<LabelId, LabelSetId> lists_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, bool, uint64_t>, size_t> positions_;
  std::vector<RowGroup> groups_;
};

}  // namespace

LabelParts parts_of(const Profile& profile, LabelSetId set) {
  const auto members = profile.label_sets[set];
  const auto of_scope = [&](LabelScope scope) {
    const auto scope_at = [&](LabelId id) { return profile.labels[id].scope; };
    const auto begin = std::ranges::lower_bound(members, scope, {}, scope_at);
    return std::span<const LabelId>(begin, std::ranges::upper_bound(members, scope, {}, scope_at));
  };
  return {of_scope(LabelScope::Sample), of_scope(LabelScope::Profile), of_scope(LabelScope::Instrumentation),
          of_scope(LabelScope::Resource)};
}

std::vector<RowGroup> group_rows(const Profile& profile, bool by_columns) { return Grouper(profile, by_columns).group(); }

}  // namespace atys::format::otlp
