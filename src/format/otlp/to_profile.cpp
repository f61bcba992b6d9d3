// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/to_profile.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/hex.h"
#include "format/otlp/columns.h"
#include "format/otlp/header_reader.h"
#include "format/otlp/index_check.h"
#include "format/otlp/join.h"
#include "format/otlp/label_attribute.h"
#include "format/otlp/references.h"

namespace atys::format::otlp {

using namespace profile;

namespace {

// Values that a table may hold; a few bytes of a file can ask for a column, and a few for a row.
constexpr size_t kMaxValues = size_t{1} << 26;
constexpr size_t kAlwaysAllowedColumns = 32;

size_t label_budget(const message::ProfilesData& data) {
  size_t users = data.dictionary.mapping_table.size() + data.dictionary.location_table.size();
  for (const message::ResourceProfiles& resource : data.resource_profiles) {
    for (const message::ScopeProfiles& scope : resource.scope_profiles) {
      for (const message::Profile& profile : scope.profiles) users += 1 + profile.samples.size();
    }
  }
  return (size_t{1} << 24) + 64 * users;
}

// What is said of every scope and resource there is; nothing, once two of them differ.
class CommonLabels {
 public:
  void add(const std::vector<LabelId>& labels) {
    if (!common_) common_ = labels;
    if (*common_ != labels) common_->clear();
  }
  const std::vector<LabelId>* get() const { return common_ ? &*common_ : nullptr; }

 private:
  std::optional<std::vector<LabelId>> common_;
};

class MessageReader {
 public:
  MessageReader(const message::ProfilesData& data, Profile& profile, CommonLabels& around)
      : data_(data),
        profile_(profile),
        budget_(label_budget(data)),
        dictionary_(data.dictionary, profile, budget_),
        around_(around) {}

  Result<> read(HeaderReader& header) {
    TRY(dictionary_.read());
    const Columns columns = TRY(find_columns(data_));
    TRY(add_columns(columns));
    TRY(header.read(data_, dictionary_));
    size_t scope_number = 0;
    for (const message::ResourceProfiles& resource : data_.resource_profiles) {
      const std::vector<LabelId> resource_labels = labels_of(resource);
      header.add_loss(kDroppedAttributes, resource.resource.dropped_attributes_count);
      for (const message::ScopeProfiles& scope : resource.scope_profiles) {
        TRY(read_scope(scope, resource_labels, columns.of_scopes[scope_number++], header));
      }
    }
    return {};
  }

 private:
  Result<> check_size(size_t columns) const {
    if (columns <= kAlwaysAllowedColumns || profile_.samples.size() * columns <= kMaxValues) return {};
    return fail(ErrorCode::ResourceExhausted, "bad OTLP data: too many sample types for so many samples");
  }

  // The nth column of a type in the message is the nth of that type in the profile.
  Result<> add_columns(const Columns& columns) {
    std::vector<bool> is_taken(profile_.value_types().size());
    for (const auto& [type, unit] : columns.types) {
      size_t column = 0;
      const auto fits = [&, type = type, unit = unit](size_t i) {
        const ValueType& known = profile_.value_types()[i];
        return !is_taken[i] && profile_.text(known.type) == type && profile_.text(known.unit) == unit;
      };
      while (column < is_taken.size() && !fits(column)) ++column;
      if (column == is_taken.size()) {
        TRY(check_size(column + 1));
        profile_.add_value_type(type, unit);
        is_taken.push_back(false);
      }
      is_taken[column] = true;
      columns_.push_back(column);
    }
    return {};
  }

  void append_text_label(std::string_view key, const std::string& text, LabelScope scope, std::vector<LabelId>& labels) {
    if (!text.empty()) labels.push_back(profile_.string_label(key, text, scope));
  }

  std::vector<LabelId> labels_of(const message::ResourceProfiles& resource) {
    std::vector<LabelId> labels;
    for (const KeyValue& pair : resource.resource.attributes) {
      append_labels(profile_, pair.key, pair.value, {}, AttributeList::Resource, labels);
    }
    append_text_label(kResourceSchemaUrl, resource.schema_url, LabelScope::Resource, labels);
    return labels;
  }

  bool take_special(const KeyValue& pair) {
    if (pair.key == kSampleTypeOrder) return pair.value.get<ArrayValue>() != nullptr;
    const auto* text = pair.value.get<std::string>();
    if (pair.key != kDefaultSampleType || text == nullptr) return false;
    if (profile_.header.default_value_type == kNoString) profile_.header.default_value_type = profile_.strings.intern(*text);
    return true;
  }

  std::vector<LabelId> labels_of(const message::ScopeProfiles& scope) {
    std::vector<LabelId> labels;
    for (const KeyValue& pair : scope.scope.attributes) {
      if (!take_special(pair)) append_labels(profile_, pair.key, pair.value, {}, AttributeList::Scope, labels);
    }
    append_text_label(kScopeName, scope.scope.name, LabelScope::Instrumentation, labels);
    append_text_label(kScopeVersion, scope.scope.version, LabelScope::Instrumentation, labels);
    append_text_label(kScopeSchemaUrl, scope.schema_url, LabelScope::Instrumentation, labels);
    return labels;
  }

  Result<> read_scope(const message::ScopeProfiles& scope, const std::vector<LabelId>& resource_labels,
                      const std::vector<size_t>& columns, HeaderReader& header) {
    std::vector<LabelId> outer = labels_of(scope);
    outer.insert(outer.end(), resource_labels.begin(), resource_labels.end());
    around_.add(outer);
    header.add_loss(kDroppedAttributes, scope.scope.dropped_attributes_count);
    for (const std::vector<size_t>& group : join_profiles(scope.profiles, columns, data_.dictionary)) {
      context_ = TRY(header.labels_of(scope.profiles[group.front()], dictionary_));
      context_.insert(context_.end(), outer.begin(), outer.end());
      TRY(budget_.spend(context_.size()));
      known_sets_.clear();
      TRY(read_rows(scope.profiles, group, columns));
    }
    return {};
  }

  Result<> read_rows(const std::vector<message::Profile>& profiles, const std::vector<size_t>& group,
                     const std::vector<size_t>& columns) {
    const std::vector<message::Sample>& samples = profiles[group.front()].samples;
    std::vector<int64_t> values(profile_.value_types().size());
    for (size_t i = 0; i < samples.size(); ++i) {
      const message::Sample& sample = samples[i];
      const StackId stack = dictionary_.stack(sample.stack_index);
      const LabelSetId labels = TRY(label_set(sample));
      const auto& times = sample.timestamps_unix_nano;
      const size_t count = times.empty() ? sample.values.size() : times.size();
      for (const size_t member : group) TRY(check_shape(profiles[member].samples[i]));
      for (size_t observation = 0; observation < count; ++observation) {
        for (const size_t member : group) {
          const auto& own = profiles[member].samples[i].values;
          values[columns_[columns[member]]] = own.empty() ? 1 : own[observation];
        }
        TRY(check_size(values.size()));
        profile_.samples.add(stack, labels, values, times.empty() ? 0 : static_cast<int64_t>(times[observation]));
      }
    }
    return {};
  }

  static Result<> check_shape(const message::Sample& sample) {
    const size_t values = sample.values.size();
    const size_t times = sample.timestamps_unix_nano.size();
    if (values == 0 || times == 0 || values == times) return {};
    return fail(ErrorCode::InvalidInput,
                "bad OTLP data at " +
                    (sample.offset != 0 ? "offset " + std::to_string(sample.offset) : std::string("samples")) +
                    ": a sample of stack " + std::to_string(sample.stack_index) + " has " + std::to_string(values) +
                    " values for " + std::to_string(times) + " timestamps",
                "its writer has a bug; get it again");
  }

  Result<LabelSetId> label_set(const message::Sample& sample) {
    const auto& indices = sample.attribute_indices;
    std::string key(reinterpret_cast<const char*>(indices.data()), indices.size() * sizeof(int32_t));
    key.append(reinterpret_cast<const char*>(&sample.link_index), sizeof sample.link_index);
    if (const auto known = known_sets_.find(key); known != known_sets_.end()) return known->second;
    std::vector<LabelId> members;
    for (const int32_t index : indices) {
      const auto labels = TRY(dictionary_.labels(index, AttributeList::Sample));
      members.insert(members.end(), labels.begin(), labels.end());
    }
    const message::Link* link = dictionary_.link(sample.link_index);
    if (link != nullptr && (link->trace_id + link->span_id).find_first_not_of('\0') != std::string::npos) {
      members.push_back(profile_.string_label(kTraceId, to_hex(link->trace_id)));
      members.push_back(profile_.string_label(kSpanId, to_hex(link->span_id)));
    }
    TRY(budget_.spend(context_.size()));
    members.insert(members.end(), context_.begin(), context_.end());
    const LabelSetId set = profile_.label_set(std::move(members));
    known_sets_.emplace(std::move(key), set);
    return set;
  }

  const message::ProfilesData& data_;
  Profile& profile_;
  LabelBudget budget_;
  DictionaryReader dictionary_;
  CommonLabels& around_;
  std::vector<size_t> columns_;   // the message's → the profile's
  std::vector<LabelId> context_;  // labels that all samples of the group have
  std::unordered_map<std::string, LabelSetId> known_sets_;
};

// A profile without samples has nothing else that could say whose it is.
void keep_in_header(const CommonLabels& around, Profile& profile) {
  if (profile.samples.size() > 0 || around.get() == nullptr) return;
  const auto own = profile.label_sets[profile.header.attributes];
  std::vector<LabelId> members(own.begin(), own.end());
  members.insert(members.end(), around.get()->begin(), around.get()->end());
  profile.header.attributes = profile.label_set(std::move(members));
}

}  // namespace

Result<Profile> to_profile(std::vector<message::ProfilesData> messages) {
  Profile profile;
  CommonLabels around;
  HeaderReader header(profile);
  for (message::ProfilesData& data : messages) {
    TRY(check_indices(data));  // before all else: what follows relies on it (entry.h)
    TRY(resolve_references(data));
    TRY(MessageReader(data, profile, around).read(header));
    data = {};  // frees it
  }
  keep_in_header(around, profile);
  return profile;
}

}  // namespace atys::format::otlp
