// SPDX-License-Identifier: Apache-2.0
// Reads what OTLP says of its profiles, samples aside: the header, and the attributes that are more than labels. Lives as
// long as the reading of a file, which may consist of several messages; the first one makes the header, later ones add to
// it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "format/otlp/dictionary_reader.h"
#include "format/otlp/profile_fields.h"

namespace atys::format::otlp {

class HeaderReader {
 public:
  // The profile outlives the reader.
  explicit HeaderReader(Profile& profile) : profile_(&profile) {}

  Result<> read(const message::ProfilesData& data, DictionaryReader& dictionary);

  // Labels of the profile scope for the samples of one of the message's profiles.
  Result<std::vector<profile::LabelId>> labels_of(const message::Profile& profile, DictionaryReader& dictionary) const;

  // As Profile::add_loss, in a time that does not depend on how many there are.
  void add_loss(std::string_view reason, uint64_t count);

 private:
  enum class Meaning : uint8_t { Unknown, Label, Special, Widened };

  void read_attributes(const message::Profile& profile, const DictionaryReader& dictionary);
  bool take_special(std::string_view key, const AnyValue& value);
  bool take_text(const AnyValue& value, profile::StringId& field);
  bool take_comments(const AnyValue& value);
  bool take_losses(const AnyValue& value);
  bool take_facts(const AnyValue& value);
  bool take_overhead(const AnyValue& value);
  bool take_header_attributes(const AnyValue& value);
  void add_comment(std::string_view comment);
  void begin_message(size_t attributes);
  Result<> set_header_attributes(const message::ProfilesData& data, DictionaryReader& dictionary);
  std::vector<int32_t> label_attributes(const message::Profile& profile) const;
  void append_field_labels(const ProfileFields& own, bool is_widened, std::vector<profile::LabelId>& labels) const;
  bool is_first_message() const { return messages_ == 1; }

  Profile* profile_;
  size_t messages_ = 0;
  ProfileFields header_;
  // What earlier messages brought, so that later ones do not repeat it.
  std::set<profile::StringId> comments_;
  std::set<std::pair<profile::StringId, profile::StringId>> facts_;
  std::map<profile::StringId, size_t> losses_;  // position of each reason

  // Of the message being read.
  std::vector<Meaning> meanings_;  // of each attribute
  std::optional<ProfileFields> message_fields_;
  std::optional<std::vector<profile::LabelId>> marked_attributes_;
  bool labels_are_header_ = false;  // attributes of its profiles hold for all of them alike
};

ProfileFields fields_of(const message::Profile& profile, const DictionaryReader& dictionary);

}  // namespace atys::format::otlp
