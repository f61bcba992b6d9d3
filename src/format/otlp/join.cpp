// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/join.h"

#include <algorithm>

#include "format/otlp/entry.h"
#include "format/otlp/semantics.h"

namespace atys::format::otlp {

namespace {

// Attributes that become labels of the samples.
std::vector<int32_t> label_attributes(const message::Profile& profile, const message::Dictionary& dictionary) {
  std::vector<int32_t> indices;
  for (const int32_t index : profile.attribute_indices) {
    const message::Attribute* attribute = entry(dictionary.attribute_table, index);
    if (attribute == nullptr) continue;
    const std::string_view key = text_entry(dictionary.string_table, attribute->key_strindex);
    if (!is_reserved(AttributeList::Profile, key)) indices.push_back(index);
  }
  std::ranges::sort(indices);
  return indices;
}

bool has_same_header(const message::Profile& first, const message::Profile& other) {
  const auto absent_or_equal = [](const std::string& theirs, const std::string& mine) {
    return theirs.empty() || theirs == mine;
  };
  return first.time_unix_nano == other.time_unix_nano && first.duration_nano == other.duration_nano &&
         first.period_type == other.period_type && first.period == other.period &&
         absent_or_equal(other.profile_id, first.profile_id) &&
         absent_or_equal(other.original_payload_format, first.original_payload_format) &&
         absent_or_equal(other.original_payload, first.original_payload);
}

bool has_same_identity(const message::Sample& a, const message::Sample& b) {
  return a.stack_index == b.stack_index && a.link_index == b.link_index && a.attribute_indices == b.attribute_indices &&
         a.timestamps_unix_nano == b.timestamps_unix_nano &&
         (!a.timestamps_unix_nano.empty() || a.values.size() == b.values.size());
}

bool has_same_rows(const message::Profile& first, const message::Profile& other) {
  return std::ranges::equal(first.samples, other.samples, has_same_identity);
}

}  // namespace

std::vector<std::vector<size_t>> join_profiles(const std::vector<message::Profile>& profiles,
                                               std::span<const size_t> columns, const message::Dictionary& dictionary) {
  std::vector<std::vector<size_t>> groups;
  std::vector<size_t> taken;
  std::vector<int32_t> labels;
  for (size_t i = 0; i < profiles.size(); ++i) {
    auto own_labels = label_attributes(profiles[i], dictionary);
    const bool joins = !groups.empty() && std::ranges::find(taken, columns[i]) == taken.end() && own_labels == labels &&
                       has_same_header(profiles[groups.back().front()], profiles[i]) &&
                       has_same_rows(profiles[groups.back().front()], profiles[i]);
    if (!joins) {
      groups.emplace_back();
      taken.clear();
      labels = std::move(own_labels);
    }
    groups.back().push_back(i);
    taken.push_back(columns[i]);
  }
  return groups;
}

}  // namespace atys::format::otlp
