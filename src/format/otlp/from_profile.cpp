// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/from_profile.h"

#include <map>

#include "format/otlp/join.h"
#include "format/otlp/profile_writer.h"

namespace atys::format::otlp {

using namespace profile;

namespace {

class MessageWriter {
 public:
  MessageWriter(const Profile& profile, bool by_columns)
      : profile_(profile),
        groups_(group_rows(profile, by_columns)),
        dictionary_(profile),
        writer_(profile, dictionary_, groups_) {}

  void write() {
    std::map<size_t, size_t> resources;
    std::map<std::pair<size_t, size_t>, size_t> scopes;
    for (const RowGroup& group : groups_) {
      auto& all = data_.resource_profiles;
      const auto [resource, is_new_resource] = resources.emplace(group.resource, all.size());
      if (is_new_resource) add_resource(group);
      auto& of_resource = all[resource->second].scope_profiles;
      const auto [scope, is_new_scope] =
          scopes.emplace(std::pair(group.resource, group.instrumentation), of_resource.size());
      if (is_new_scope) add_scope(group, of_resource.emplace_back());
      message::ScopeProfiles& out = of_resource[scope->second];
      Layout& layout = layouts_[{resource->second, scope->second}];
      writer_.write(group, &group == &groups_.front(), out.profiles);
      layout.columns.insert(layout.columns.end(), group.columns.begin(), group.columns.end());
      layout.group_sizes.push_back(group.columns.size());
    }
    for (const auto& [place, layout] : layouts_) add_type_attributes(layout, scope_at(place).scope);
  }

  // Whether a reader will see the groups as they are.
  bool is_unambiguous() {
    for (const auto& [place, layout] : layouts_) {
      if (layout.columns.empty()) continue;
      const auto joined = join_profiles(scope_at(place).profiles, layout.columns, dictionary_.dictionary());
      if (joined.size() != layout.group_sizes.size()) return false;
      for (size_t i = 0; i < joined.size(); ++i) {
        if (joined[i].size() != layout.group_sizes[i]) return false;
      }
    }
    return true;
  }

  Result<message::ProfilesData> take() {
    data_.dictionary = TRY(dictionary_.take());
    return std::move(data_);
  }

 private:
  struct Layout {
    std::vector<size_t> columns;      // of each profile in the scope
    std::vector<size_t> group_sizes;  // how many of them belong together
  };
  using Place = std::pair<size_t, size_t>;

  message::ScopeProfiles& scope_at(Place place) { return data_.resource_profiles[place.first].scope_profiles[place.second]; }

  // The value of a label that has a field of its own, taken out of `attributes`.
  std::string take_text(std::vector<KeyValue>& attributes, std::string_view key) const {
    for (auto it = attributes.begin(); it != attributes.end(); ++it) {
      const auto* text = it->value.get<std::string>();
      if (it->key != key || text == nullptr || text->empty()) continue;
      std::string taken = *text;
      attributes.erase(it);
      return taken;
    }
    return {};
  }

  std::vector<KeyValue> key_values(std::span<const LabelId> labels, AttributeList list) const {
    std::vector<KeyValue> pairs;
    for (LabelAttribute& each : attributes_of(profile_, labels, list))
      pairs.push_back({std::move(each.key), std::move(each.value)});
    return pairs;
  }

  void add_resource(const RowGroup& group) {
    message::ResourceProfiles& out = data_.resource_profiles.emplace_back();
    out.resource.attributes = key_values(group.labels.resource, AttributeList::Resource);
    out.schema_url = take_text(out.resource.attributes, kResourceSchemaUrl);
  }

  void add_scope(const RowGroup& group, message::ScopeProfiles& out) {
    auto& attributes = out.scope.attributes;
    attributes = key_values(group.labels.instrumentation, AttributeList::Scope);
    out.scope.name = take_text(attributes, kScopeName);
    out.scope.version = take_text(attributes, kScopeVersion);
    out.schema_url = take_text(attributes, kScopeSchemaUrl);
  }

  void add_type_attributes(const Layout& layout, message::Scope& scope) {
    const auto& types = profile_.value_types();
    const std::string_view default_type = profile_.text(profile_.header.default_value_type);
    if (!default_type.empty()) scope.attributes.push_back({std::string(kDefaultSampleType), any(default_type)});
    // A type without a name would else look like none.
    const bool is_nameless =
        types.size() == 1 && profile_.text(types[0].type).empty() && profile_.text(types[0].unit).empty();
    if (types.size() < 2 && !is_nameless) return;
    ArrayValue order;
    for (const size_t column : layout.columns) order.values.push_back(any(static_cast<int64_t>(column)));
    scope.attributes.push_back({std::string(kSampleTypeOrder), {std::move(order)}});
  }

  const Profile& profile_;
  std::vector<RowGroup> groups_;
  DictionaryWriter dictionary_;
  ProfileWriter writer_;
  message::ProfilesData data_;
  std::map<Place, Layout> layouts_;
};

}  // namespace

Result<message::ProfilesData> from_profile(const Profile& profile) {
  MessageWriter apart(profile, true);
  apart.write();
  if (apart.is_unambiguous()) return apart.take();
  // Groups that happen to look like columns of each other: with all columns in each they no longer do.
  MessageWriter whole(profile, false);
  whole.write();
  return whole.take();
}

}  // namespace atys::format::otlp
