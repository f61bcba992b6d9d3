// SPDX-License-Identifier: Apache-2.0
// Equality by content: both profiles are carried into one fresh profile, where equal things have equal ids, and what is left
// to compare is integers.
#include <algorithm>
#include <array>
#include <map>

#include "profile/import.h"

namespace atys::profile {

namespace {

struct Comparable {
  std::vector<ValueType> value_types;
  std::map<std::array<int64_t, 3>, std::vector<uint64_t>> rows;  // stack, labels, time → values, modular
  std::array<int64_t, 11> header;
  std::vector<uint32_t> comments;
  std::vector<std::pair<uint32_t, uint64_t>> losses;
  std::vector<std::pair<uint32_t, uint32_t>> facts;
  Overhead overhead;

  bool operator==(const Comparable&) const = default;
};

std::array<int64_t, 11> comparable_header(const Header& h, Importer& importer) {
  const ValueType period_type = importer.value_type(h.period_type);
  return {h.time_ns,
          h.duration_ns,
          h.period,
          raw(period_type.type),
          raw(period_type.unit),
          raw(importer.string(h.default_value_type)),
          raw(importer.string(h.drop_frames)),
          raw(importer.string(h.keep_frames)),
          raw(importer.string(h.doc_url)),
          raw(importer.string(h.id)),
          raw(importer.labels(h.attributes))};
}

Comparable comparable(const Profile& profile, Profile& common) {
  Importer importer(profile, common);
  Comparable result;
  for (const ValueType& type : profile.value_types()) result.value_types.push_back(importer.value_type(type));
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    auto& sums = result.rows[{raw(importer.stack(profile.samples.stack(row))),
                              raw(importer.labels(profile.samples.labels(row))), profile.samples.time_ns(row)}];
    sums.resize(result.value_types.size());
    for (size_t type = 0; type < sums.size(); ++type) sums[type] += static_cast<uint64_t>(profile.samples.value(row, type));
  }
  result.header = comparable_header(profile.header, importer);
  for (const StringId comment : profile.header.comments) result.comments.push_back(raw(importer.string(comment)));
  for (const Loss& loss : profile.losses) result.losses.emplace_back(raw(importer.string(loss.reason)), loss.count);
  for (const Fact& fact : profile.provenance) {
    result.facts.emplace_back(raw(importer.string(fact.key)), raw(importer.string(fact.value)));
  }
  result.overhead = profile.overhead;
  std::ranges::sort(result.comments);
  std::ranges::sort(result.losses);
  std::ranges::sort(result.facts);
  return result;
}

}  // namespace

bool equivalent(const Profile& a, const Profile& b) {
  Profile common;
  return comparable(a, common) == comparable(b, common);
}

}  // namespace atys::profile
