// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/sample_rows.h"

#include "reduce/sample_count.h"

namespace atys::format::jfr {

using namespace profile;

void SampleRows::add(const RowKey& key, int64_t count, int64_t weight) {
  const auto [found, is_new] = index_.try_emplace(key, rows_.size());
  if (is_new) rows_.push_back({.key = key});
  Row& row = rows_[found->second];
  row.count += static_cast<uint64_t>(count);
  row.weight += static_cast<uint64_t>(weight);
  Seen& seen = families_[static_cast<size_t>(key.family)];
  seen.any = true;
  seen.has_weight = seen.has_weight || weight != 0;
}

// The samples of what comes first are "samples", whatever clock they are of; that is the word that others look for.
std::string_view SampleRows::count_name(Family family, const std::string& counted_event) const {
  const Seen& cpu = families_[static_cast<size_t>(Family::Cpu)];
  if (family == Family::Wall && !cpu.any) return columns_of(Family::Cpu).count;
  if (family == Family::Cpu && !counted_event.empty() && !cpu.has_weight) return counted_event;
  return columns_of(family).count;
}

std::array<SampleRows::Seen, kFamilies> SampleRows::add_columns(Profile& profile, const std::string& counted_event) const {
  std::array<Seen, kFamilies> families = families_;
  for (size_t i = 0; i < kFamilies; ++i) {
    Seen& seen = families[i];
    if (!seen.any) continue;
    const FamilyColumns& names = columns_of(static_cast<Family>(i));
    const std::string_view count = count_name(static_cast<Family>(i), counted_event);
    seen.count_column = profile.add_value_type(count, "count");
    if (count == counted_event && !counted_event.empty()) profile.add_fact(reduce::kSamplesIn, count);
    seen.weight_column = seen.has_weight ? profile.add_value_type(names.weight, names.unit) : seen.count_column;
    if (profile.header.default_value_type == kNoString) {
      const ValueType type = profile.value_types()[seen.weight_column];
      profile.header.default_value_type = type.type;
      if (seen.period > 0) {
        profile.header.period_type = type;
        profile.header.period = seen.period;
      }
    }
  }
  return families;
}

void SampleRows::finish(Profile& profile, const std::string& counted_event) const {
  const std::array<Seen, kFamilies> families = add_columns(profile, counted_event);
  profile.samples.reserve(rows_.size());
  std::vector<int64_t> values(profile.value_types().size());
  for (const Row& row : rows_) {
    const Seen& seen = families[static_cast<size_t>(row.key.family)];
    values[seen.weight_column] = static_cast<int64_t>(row.weight);
    values[seen.count_column] = static_cast<int64_t>(row.count);
    profile.samples.add(row.key.stack, row.key.labels, values, row.key.time_ns);
    values[seen.weight_column] = values[seen.count_column] = 0;
  }
}

}  // namespace atys::format::jfr
