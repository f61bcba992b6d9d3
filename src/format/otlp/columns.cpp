// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/columns.h"

#include <map>

#include "format/otlp/entry.h"
#include "format/otlp/semantics.h"

namespace atys::format::otlp {

namespace {

using Type = std::pair<std::string_view, std::string_view>;

// The order that a scope gives its profiles; empty if it gives none that makes sense.
std::vector<size_t> order_of(const message::ScopeProfiles& scope) {
  std::vector<size_t> order;
  const ArrayValue* positions = nullptr;
  for (const KeyValue& attribute : scope.scope.attributes) {
    if (attribute.key == kSampleTypeOrder) positions = attribute.value.get<ArrayValue>();
  }
  if (positions == nullptr || positions->values.size() != scope.profiles.size()) return order;
  for (const AnyValue& value : positions->values) {
    const auto* position = value.get<int64_t>();
    if (position == nullptr || *position < 0 || *position >= static_cast<int64_t>(kMaxColumns)) return {};
    order.push_back(static_cast<size_t>(*position));
  }
  return order;
}

class Finder {
 public:
  explicit Finder(const message::ProfilesData& data) : data_(data) {}

  Result<Columns> find() {
    if (follow_orders()) return std::move(columns_);
    columns_ = {};
    for (const message::ScopeProfiles* scope : scopes()) TRY(add_by_type(*scope));
    return std::move(columns_);
  }

 private:
  std::vector<const message::ScopeProfiles*> scopes() const {
    std::vector<const message::ScopeProfiles*> all;
    for (const message::ResourceProfiles& resource : data_.resource_profiles) {
      for (const message::ScopeProfiles& scope : resource.scope_profiles) all.push_back(&scope);
    }
    return all;
  }

  Type type_of(const message::Profile& profile) const {
    const auto& strings = data_.dictionary.string_table;
    return {text_entry(strings, profile.sample_type.type_strindex), text_entry(strings, profile.sample_type.unit_strindex)};
  }

  // True if every scope gives an order, and these agree on what is where.
  bool follow_orders() {
    std::map<size_t, Type> types;
    bool agrees = true;
    for (const message::ScopeProfiles* scope : scopes()) {
      const std::vector<size_t> order = order_of(*scope);
      agrees = agrees && !order.empty();
      for (size_t i = 0; i < scope->profiles.size() && agrees; ++i) {
        const Type type = type_of(scope->profiles[i]);
        agrees = types.emplace(order[i], type).first->second == type;
      }
      columns_.of_scopes.push_back(order);
    }
    if (!agrees || types.empty() || types.rbegin()->first != types.size() - 1) return false;
    for (const auto& [position, type] : types) columns_.types.push_back(type);
    return true;
  }

  Result<> add_by_type(const message::ScopeProfiles& scope) {
    auto& columns = columns_.of_scopes.emplace_back();
    for (const message::Profile& profile : scope.profiles) {
      const Type type = type_of(profile);
      if (type == Type{} && profile.samples.empty()) {
        columns.push_back(kNoColumn);
        continue;
      }
      const auto [found, is_new] = positions_.emplace(type, columns_.types.size());
      if (is_new) columns_.types.push_back(type);
      if (columns_.types.size() > kMaxColumns)
        return fail(ErrorCode::ResourceExhausted, "bad OTLP data: more than 1024 sample types");
      columns.push_back(found->second);
    }
    return {};
  }

  const message::ProfilesData& data_;
  Columns columns_;
  std::map<Type, size_t> positions_;
};

}  // namespace

Result<Columns> find_columns(const message::ProfilesData& data) { return Finder(data).find(); }

}  // namespace atys::format::otlp
