// SPDX-License-Identifier: Apache-2.0
// Adds samples up: one row per stack, labels, family and time. Columns are made when all chunks are read: which families
// there are is not known before.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/jfr/event_rules.h"
#include "profile/profile.h"

namespace atys::format::jfr {

struct RowKey {
  profile::StackId stack{};
  profile::LabelSetId labels{};
  Family family{};
  int64_t time_ns = 0;  // 0: not kept

  bool operator==(const RowKey&) const = default;
};

class SampleRows {
 public:
  // A weight of 0 is an unknown one.
  void add(const RowKey& key, int64_t count, int64_t weight);
  // The interval that the weights of a family are made of, where there is one.
  void note_period(Family family, int64_t period) { families_[static_cast<size_t>(family)].period = period; }

  // Adds columns and rows to the profile that the keys are of. `counted_event`: what processors counted instead of time.
  void finish(Profile& profile, const std::string& counted_event) const;

 private:
  struct Row {
    RowKey key;
    uint64_t count = 0;
    uint64_t weight = 0;
  };
  struct Seen {
    bool any = false;
    bool has_weight = false;
    int64_t period = 0;
    size_t count_column = 0;
    size_t weight_column = 0;
  };
  struct KeyHash {
    size_t operator()(const RowKey& key) const {
      return profile::hash_mix((uint64_t{raw(key.stack)} << 32 | raw(key.labels)) ^ profile::hash_seed(),
                               static_cast<uint64_t>(key.family) ^ static_cast<uint64_t>(key.time_ns) << 3);
    }
  };

  std::string_view count_name(Family family, const std::string& counted_event) const;
  std::array<Seen, kFamilies> add_columns(Profile& profile, const std::string& counted_event) const;

  std::vector<Row> rows_;
  std::unordered_map<RowKey, size_t, KeyHash> index_;
  std::array<Seen, kFamilies> families_{};
};

}  // namespace atys::format::jfr
