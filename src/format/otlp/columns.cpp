// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/columns.h"

#include <map>

#include "format/otlp/semantics.h"

namespace atys::format::otlp {

namespace {

using Type = std::pair<std::string_view, std::string_view>;

Result<std::string_view> text(const message::Dictionary& dictionary, int32_t index) {
  if (index == 0) return std::string_view{};
  if (index > 0 && static_cast<size_t>(index) < dictionary.string_table.size()) {
    return std::string_view(dictionary.string_table[static_cast<size_t>(index)]);
  }
  return fail(ErrorCode::InvalidInput,
              "bad OTLP data: a sample type refers to entry " + std::to_string(index) + " of string_table, which has " +
                  std::to_string(dictionary.string_table.size()),
              "the file is damaged or its writer has a bug; get it again");
}

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
    if (TRY(follow_orders())) return std::move(columns_);
    columns_ = {};
    TRY(for_each_scope([&](const message::ScopeProfiles& scope) { return add_by_type(scope); }));
    return std::move(columns_);
  }

 private:
  template <typename Use>
  Result<> for_each_scope(const Use& use) {
    for (const message::ResourceProfiles& resource : data_.resource_profiles) {
      for (const message::ScopeProfiles& scope : resource.scope_profiles) TRY(use(scope));
    }
    return {};
  }

  Result<Type> type_of(const message::Profile& profile) {
    return Type{TRY(text(data_.dictionary, profile.sample_type.type_strindex)),
                TRY(text(data_.dictionary, profile.sample_type.unit_strindex))};
  }

  // True if every scope gives an order, and these agree on what is where.
  Result<bool> follow_orders() {
    std::map<size_t, Type> types;
    bool agrees = true;
    TRY(for_each_scope([&](const message::ScopeProfiles& scope) -> Result<> {
      const std::vector<size_t> order = order_of(scope);
      agrees = agrees && !order.empty();
      for (size_t i = 0; i < scope.profiles.size() && agrees; ++i) {
        const Type type = TRY(type_of(scope.profiles[i]));
        agrees = types.emplace(order[i], type).first->second == type;
      }
      columns_.of_scopes.push_back(order);
      return {};
    }));
    if (!agrees || types.empty() || types.rbegin()->first != types.size() - 1) return false;
    for (const auto& [position, type] : types) columns_.types.push_back(type);
    return true;
  }

  Result<> add_by_type(const message::ScopeProfiles& scope) {
    auto& columns = columns_.of_scopes.emplace_back();
    for (const message::Profile& profile : scope.profiles) {
      const Type type = TRY(type_of(profile));
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
