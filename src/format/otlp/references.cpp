// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/references.h"

#include "format/otlp/entry.h"

namespace atys::format::otlp {

namespace {

// What references may grow to: a long string can be referred to very often.
constexpr size_t kMaxResolvedBytes = size_t{256} << 20;

class Resolver {
 public:
  explicit Resolver(const std::vector<std::string>& strings) : strings_(strings) {}

  Result<> resolve(std::vector<KeyValue>& pairs) {
    for (KeyValue& pair : pairs) {
      if (pair.key_strindex != 0) pair.key = TRY(string(pair.key_strindex));
      pair.key_strindex = 0;
      TRY(resolve(pair.value));
    }
    return {};
  }

  Result<> resolve(AnyValue& value) {
    if (const auto* reference = std::get_if<StringReference>(&value.value)) {
      value.value = TRY(string(reference->index));
    } else if (auto* array = std::get_if<ArrayValue>(&value.value)) {
      for (AnyValue& item : array->values) TRY(resolve(item));
    } else if (auto* list = std::get_if<KeyValueList>(&value.value)) {
      return resolve(list->values);
    }
    return {};
  }

 private:
  Result<std::string> string(int32_t index) {
    const std::string_view text = text_entry(strings_, index);
    if (text.size() > bytes_left_)
      return fail(ErrorCode::ResourceExhausted, "bad OTLP data: attributes refer to too many long strings");
    bytes_left_ -= text.size();
    return std::string(text);
  }

  const std::vector<std::string>& strings_;
  size_t bytes_left_ = kMaxResolvedBytes;
};

}  // namespace

Result<> resolve_references(message::ProfilesData& data) {
  Resolver resolver(data.dictionary.string_table);
  for (message::ResourceProfiles& resource : data.resource_profiles) {
    TRY(resolver.resolve(resource.resource.attributes));
    for (message::ScopeProfiles& scope : resource.scope_profiles) TRY(resolver.resolve(scope.scope.attributes));
  }
  for (message::Attribute& attribute : data.dictionary.attribute_table) TRY(resolver.resolve(attribute.value));
  return {};
}

}  // namespace atys::format::otlp
