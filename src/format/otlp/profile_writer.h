// SPDX-License-Identifier: Apache-2.0
// Writes one group of rows as OTLP profiles, one for each of its columns.
#pragma once

#include <vector>

#include "format/otlp/dictionary_writer.h"
#include "format/otlp/profile_fields.h"
#include "format/otlp/row_groups.h"

namespace atys::format::otlp {

class ProfileWriter {
 public:
  // The profile and the dictionary outlive the writer; `groups` are all that will be written.
  ProfileWriter(const Profile& profile, DictionaryWriter& dictionary, const std::vector<RowGroup>& groups);

  // The very first group carries what holds for the profile as a whole.
  void write(const RowGroup& group, bool is_first, std::vector<message::Profile>& out);

 private:
  // The fields of a group's profiles, and which labels need not be written because they can be told from the fields.
  struct Own {
    ProfileFields fields;
    std::string payload_format, payload;
    bool is_widened = false;
    std::vector<profile::LabelId> labels;
  };
  // A sample of the message: rows that differ in time and values alone.
  struct Entry {
    message::Sample identity;
    std::vector<size_t> rows;
  };
  struct SampleLabels {
    std::vector<int32_t> attribute_indices;
    int32_t link_index = 0;
    bool is_known = false;
  };

  Own own_of(const RowGroup& group) const;
  void take_field_labels(std::span<const profile::LabelId> labels, Own& own) const;
  void widen(const RowGroup& group, Own& own) const;
  std::vector<Entry> entries_of(const RowGroup& group);
  const SampleLabels& sample_labels(profile::LabelSetId set);
  message::Profile with_samples(const std::vector<Entry>& entries, size_t column, bool has_times) const;
  std::vector<int32_t> attributes(const Own& own);
  void add_whole(const ProfileFields& written, message::Profile& out);
  void add_losses(message::Profile& out);

  const Profile* profile_;
  DictionaryWriter* dictionary_;
  ProfileFields header_;
  bool has_profile_labels_ = false;
  std::vector<SampleLabels> sample_labels_;  // by LabelSetId
};

}  // namespace atys::format::otlp
