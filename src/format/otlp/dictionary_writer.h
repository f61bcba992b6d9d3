// SPDX-License-Identifier: Apache-2.0
// Fills the dictionary of an OTLP message from a profile: each string, attribute, link and stack that is used, once.
// Mappings, functions and locations keep the order of the profile, also those that no sample uses, so that nothing about a
// pprof file is lost on its way through OTLP.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/otlp/label_attribute.h"
#include "format/otlp/message.h"
#include "profile/profile.h"

namespace atys::format::otlp {

class DictionaryWriter {
 public:
  // The profile outlives the writer.
  explicit DictionaryWriter(const Profile& profile);

  int32_t string(std::string_view text);
  int32_t string(profile::StringId id) { return string(profile_->text(id)); }
  message::ValueType value_type(profile::ValueType type) { return {string(type.type), string(type.unit)}; }
  int32_t attribute(std::string_view key, AnyValue value, std::string_view unit = {});
  std::vector<int32_t> attributes(std::span<const profile::LabelId> labels, AttributeList list);
  int32_t link(std::string_view trace_id, std::string_view span_id);
  int32_t stack(profile::StackId id);

  const message::Dictionary& dictionary() const { return dictionary_; }
  // Fails if a table has more entries than OTLP's indexes can count.
  Result<message::Dictionary> take();

 private:
  void add_mapping(const profile::Mapping& mapping);
  void add_function(const profile::Function& function);
  void add_location(const profile::Frame& frame);

  const Profile* profile_;
  message::Dictionary dictionary_;
  profile::StringTable strings_, attributes_, links_;  // their positions are those in the dictionary
  std::vector<int32_t> stacks_;                        // by StackId; 0: not there yet
};

}  // namespace atys::format::otlp
