// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/header_reader.h"

#include <algorithm>

#include "format/otlp/label_attribute.h"

namespace atys::format::otlp {

using namespace profile;

namespace {

template <typename Visit>
void for_each_profile(const message::ProfilesData& data, const Visit& visit) {
  for (const message::ResourceProfiles& resource : data.resource_profiles) {
    for (const message::ScopeProfiles& scope : resource.scope_profiles) {
      for (const message::Profile& profile : scope.profiles) visit(profile);
    }
  }
}

template <typename T>
const T* part(const AnyValue& value, std::string_view key) {
  const auto* list = value.get<KeyValueList>();
  const AnyValue* found = list == nullptr ? nullptr : find(*list, key);
  return found == nullptr ? nullptr : found->get<T>();
}

// The elements of an array if all fit, else null.
template <typename Fits>
const std::vector<AnyValue>* elements_if(const AnyValue& value, const Fits& fits) {
  const auto* array = value.get<ArrayValue>();
  return array != nullptr && std::ranges::all_of(array->values, fits) ? &array->values : nullptr;
}

LabelId field_label(Profile& profile, std::string_view key, int64_t number) {
  return profile.int_label(key, number, {}, LabelScope::Profile);
}
LabelId field_label(Profile& profile, std::string_view key, std::string_view text) {
  const LabelType type = key == kIdKey || key == kPayload ? LabelType::Bytes : LabelType::String;
  return profile.labels.intern(
      {profile.strings.intern(key), profile.strings.intern(text), 0, kNoString, type, LabelScope::Profile});
}

}  // namespace

ProfileFields fields_of(const message::Profile& profile, const DictionaryReader& dictionary) {
  const bool has_id = profile.profile_id.find_first_not_of('\0') != std::string::npos;
  return ProfileFields{static_cast<int64_t>(profile.time_unix_nano),
                       static_cast<int64_t>(profile.duration_nano),
                       profile.period,
                       std::string(dictionary.text(profile.period_type.type_strindex)),
                       std::string(dictionary.text(profile.period_type.unit_strindex)),
                       has_id ? profile.profile_id : std::string{}};
}

Result<> HeaderReader::read(const message::ProfilesData& data, DictionaryReader& dictionary) {
  begin_message(data.dictionary.attribute_table.size());
  std::optional<ProfileFields> first;
  for_each_profile(data, [&](const message::Profile& profile) {
    if (!first) first = fields_of(profile, dictionary);
    read_attributes(profile, dictionary);
    for (const int32_t comment : profile.comment_strindices) {
      const std::string_view text = dictionary.text(comment);
      if (comments_.insert(profile_->strings.intern(text)).second)
        profile_->header.comments.push_back(profile_->strings.intern(text));
    }
    add_loss(kDroppedAttributes, profile.dropped_attributes_count);
  });
  if (!message_fields_) message_fields_ = first.value_or(ProfileFields{});
  if (is_first_message()) {
    header_ = *message_fields_;
    set_fields(*profile_, header_);
  }
  for (const StringId comment : profile_->header.comments) comments_.insert(comment);
  for (const Fact& fact : profile_->provenance) facts_.emplace(fact.key, fact.value);
  return set_header_attributes(data, dictionary);
}

void HeaderReader::begin_message(size_t attributes) {
  ++messages_;
  meanings_.assign(attributes, Meaning::Unknown);
  message_fields_.reset();
  marked_attributes_.reset();
  labels_are_header_ = false;
}

void HeaderReader::read_attributes(const message::Profile& profile, const DictionaryReader& dictionary) {
  for (const int32_t index : profile.attribute_indices) {
    const message::Attribute* attribute = dictionary.attribute(index);
    if (attribute == nullptr || meanings_[static_cast<size_t>(index)] != Meaning::Unknown) continue;
    const std::string_view key = dictionary.text(attribute->key_strindex);
    const bool is_special = is_reserved(AttributeList::Profile, key) && take_special(key, attribute->value);
    meanings_[static_cast<size_t>(index)] = !is_special       ? Meaning::Label
                                            : key == kWidened ? Meaning::Widened
                                                              : Meaning::Special;
  }
}

bool HeaderReader::take_special(std::string_view key, const AnyValue& value) {
  Header& header = profile_->header;
  if (key == kDropFrames) return take_text(value, header.drop_frames);
  if (key == kKeepFrames) return take_text(value, header.keep_frames);
  if (key == kDocUrl) return take_text(value, header.doc_url);
  if (key == kComment || key.starts_with(kCommentPrefix)) return take_comments(value);
  if (key == kLoss) return take_losses(value);
  if (key == kProvenance) return take_facts(value);
  if (key == kOverhead) return take_overhead(value);
  if (key == kHeaderAttributes) return take_header_attributes(value);
  if (key == kHeader) {
    const auto fields = fields_from(value);
    if (!message_fields_) message_fields_ = fields;
    return fields.has_value();
  }
  return key == kWidened && value.get<bool>() != nullptr;
}

bool HeaderReader::take_text(const AnyValue& value, StringId& field) {
  const auto* text = value.get<std::string>();
  if (text != nullptr && field == kNoString) field = profile_->strings.intern(*text);
  return text != nullptr;
}

void HeaderReader::add_comment(std::string_view comment) {
  const StringId id = profile_->strings.intern(comment);
  if (is_first_message() || comments_.insert(id).second) profile_->header.comments.push_back(id);
}

bool HeaderReader::take_comments(const AnyValue& value) {
  if (const auto* text = value.get<std::string>()) {
    add_comment(*text);
    return true;
  }
  const auto* comments = elements_if(value, [](const AnyValue& item) { return item.get<std::string>() != nullptr; });
  if (comments == nullptr) return false;
  for (const AnyValue& comment : *comments) add_comment(*comment.get<std::string>());
  return true;
}

void HeaderReader::add_loss(std::string_view reason, uint64_t count) {
  if (count == 0) return;
  const StringId id = profile_->strings.intern(reason);
  const auto [found, is_new] = losses_.emplace(id, profile_->losses.size());
  if (is_new) profile_->losses.push_back({id, 0});
  profile_->losses[found->second].count += count;
}

bool HeaderReader::take_losses(const AnyValue& value) {
  const auto* losses = elements_if(value, [](const AnyValue& item) {
    return part<std::string>(item, "reason") != nullptr && part<int64_t>(item, "count") != nullptr;
  });
  if (losses == nullptr) return false;
  for (const AnyValue& loss : *losses) {
    const auto count = static_cast<uint64_t>(*part<int64_t>(loss, "count"));
    const std::string& reason = *part<std::string>(loss, "reason");
    if (is_first_message()) {
      losses_.emplace(profile_->strings.intern(reason), profile_->losses.size());
      profile_->losses.push_back({profile_->strings.intern(reason), count});
    } else {
      add_loss(reason, count);
    }
  }
  return true;
}

bool HeaderReader::take_facts(const AnyValue& value) {
  const auto* facts = elements_if(value, [](const AnyValue& item) {
    return part<std::string>(item, "key") != nullptr && part<std::string>(item, "value") != nullptr;
  });
  if (facts == nullptr) return false;
  for (const AnyValue& item : *facts) {
    const Fact fact{profile_->strings.intern(*part<std::string>(item, "key")),
                    profile_->strings.intern(*part<std::string>(item, "value"))};
    if (is_first_message() || facts_.emplace(fact.key, fact.value).second) profile_->provenance.push_back(fact);
  }
  return true;
}

bool HeaderReader::take_overhead(const AnyValue& value) {
  const auto* cpu_ns = part<int64_t>(value, "cpu_ns");
  const auto* bytes = part<int64_t>(value, "bytes");
  if (cpu_ns == nullptr || bytes == nullptr) return false;
  const auto sum = [](int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  };
  profile_->overhead = {sum(profile_->overhead.cpu_ns, *cpu_ns), sum(profile_->overhead.bytes, *bytes)};
  return true;
}

bool HeaderReader::take_header_attributes(const AnyValue& value) {
  const auto* list = value.get<KeyValueList>();
  if (list == nullptr) return false;
  std::vector<LabelId> labels;
  for (const KeyValue& pair : list->values) {
    const auto* parts = pair.value.get<ArrayValue>();
    if (parts == nullptr || parts->values.size() != 2) return false;
    const auto* unit = parts->values[0].get<std::string>();
    append_labels(*profile_, pair.key, parts->values[1], unit == nullptr ? "" : *unit, AttributeList::Profile, labels);
  }
  marked_attributes_ = std::move(labels);
  return true;
}

std::vector<int32_t> HeaderReader::label_attributes(const message::Profile& profile) const {
  std::vector<int32_t> indices;
  for (const int32_t index : profile.attribute_indices) {
    if (index != 0 && meanings_[static_cast<size_t>(index)] == Meaning::Label) indices.push_back(index);
  }
  return indices;
}

// Attributes that all profiles of the message have in common describe the whole, unless the message says otherwise.
Result<> HeaderReader::set_header_attributes(const message::ProfilesData& data, DictionaryReader& dictionary) {
  std::optional<std::vector<int32_t>> common;
  bool is_common = true;
  for_each_profile(data, [&](const message::Profile& profile) {
    auto own = label_attributes(profile);
    if (!common) common = own;
    is_common = is_common && own == *common;
  });
  std::vector<LabelId> members;
  labels_are_header_ = is_common && !marked_attributes_;
  if (marked_attributes_) members = *marked_attributes_;
  if (labels_are_header_ && common) {
    for (const int32_t index : *common) {
      const auto labels = TRY(dictionary.labels(index, AttributeList::Profile));
      members.insert(members.end(), labels.begin(), labels.end());
    }
  }
  const LabelSetId set = profile_->label_set(std::move(members));
  if (is_first_message()) profile_->header.attributes = set;
  if (set != profile_->header.attributes) labels_are_header_ = false;
  return {};
}

Result<std::vector<LabelId>> HeaderReader::labels_of(const message::Profile& profile, DictionaryReader& dictionary) const {
  std::vector<LabelId> labels;
  if (!labels_are_header_) {
    for (const int32_t index : label_attributes(profile)) {
      const auto more = TRY(dictionary.labels(index, AttributeList::Profile));
      labels.insert(labels.end(), more.begin(), more.end());
    }
  }
  const bool is_widened = std::ranges::any_of(profile.attribute_indices, [&](int32_t index) {
    return index != 0 && meanings_[static_cast<size_t>(index)] == Meaning::Widened;
  });
  append_field_labels(fields_of(profile, dictionary), is_widened, labels);
  if (!profile.original_payload.empty()) labels.push_back(field_label(*profile_, kPayload, profile.original_payload));
  if (!profile.original_payload_format.empty()) {
    labels.push_back(field_label(*profile_, kPayloadFormat, profile.original_payload_format));
  }
  return labels;
}

// Labels for what differs from the header, except where attributes say it already.
void HeaderReader::append_field_labels(const ProfileFields& own, bool is_widened, std::vector<LabelId>& labels) const {
  ProfileFields fields = own;
  if (is_widened) {
    fields.time_ns = message_fields_->time_ns;
    fields.duration_ns = message_fields_->duration_ns;
  }
  if (fields.id.empty()) fields.id = message_fields_->id;
  const size_t given = labels.size();
  for_each_field(fields, header_, [&](std::string_view key, const auto& mine, const auto& header) {
    if (mine == header) return;
    for (size_t i = 0; i < given; ++i) {
      if (profile_->text(profile_->labels[labels[i]].key) == key) return;
    }
    labels.push_back(field_label(*profile_, key, mine));
  });
}

}  // namespace atys::format::otlp
