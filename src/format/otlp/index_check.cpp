// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/index_check.h"

#include <string>

namespace atys::format::otlp {

namespace {

class Checker {
 public:
  explicit Checker(const message::ProfilesData& data) : data_(data), dictionary_(data.dictionary) {}

  Result<> check() {
    TRY(check_tables());
    for (size_t r = 0; r < data_.resource_profiles.size(); ++r) {
      const message::ResourceProfiles& resource = data_.resource_profiles[r];
      const std::string path = "resourceProfiles[" + std::to_string(r) + "]";
      at(resource.offset, path);
      TRY(attributes(resource.resource.attributes));
      for (size_t s = 0; s < resource.scope_profiles.size(); ++s) {
        TRY(check_scope(resource.scope_profiles[s], path + ".scopeProfiles[" + std::to_string(s) + "]"));
      }
    }
    return {};
  }

 private:
  void at(size_t offset, std::string path) {
    offset_ = offset;
    path_ = std::move(path);
    element_ = SIZE_MAX;
  }
  // The same for an element of a list, without making a text for each.
  void at_element(size_t offset, size_t element) {
    offset_ = offset;
    element_ = element;
  }

  // Index 0 is "none" also where a writer has left out the empty entry.
  Result<> index(int32_t value, size_t table_size, const char* table, const char* who) const {
    if (value == 0 || (value > 0 && static_cast<size_t>(value) < table_size)) return {};
    const std::string element = element_ == SIZE_MAX ? "" : "[" + std::to_string(element_) + "]";
    const std::string where = offset_ != 0 ? "offset " + std::to_string(offset_) : path_ + element;
    return fail(ErrorCode::InvalidInput,
                "bad OTLP data at " + where + ": " + who + " refers to entry " + std::to_string(value) + " of " + table +
                    ", which has " + std::to_string(table_size),
                "the file is damaged or its writer has a bug; get it again");
  }
  Result<> string(int32_t value, const char* who) const {
    return index(value, dictionary_.string_table.size(), "string_table", who);
  }
  Result<> attribute_list(const std::vector<int32_t>& indices, const char* who) const {
    for (const int32_t value : indices) TRY(index(value, dictionary_.attribute_table.size(), "attribute_table", who));
    return {};
  }
  Result<> value_type(const message::ValueType& type, const char* who) const {
    TRY(string(type.type_strindex, who));
    return string(type.unit_strindex, who);
  }

  // The decoders bound how deep values nest.
  Result<> attributes(const std::vector<KeyValue>& pairs) const {
    for (const KeyValue& pair : pairs) {
      TRY(string(pair.key_strindex, "an attribute"));
      TRY(value(pair.value));
    }
    return {};
  }
  Result<> value(const AnyValue& any) const {
    if (const auto* reference = any.get<StringReference>()) return string(reference->index, "an attribute");
    if (const auto* list = any.get<KeyValueList>()) return attributes(list->values);
    if (const auto* array = any.get<ArrayValue>()) {
      for (const AnyValue& item : array->values) TRY(value(item));
    }
    return {};
  }

  // Calls `check_row(row)` for the rows of a table.
  template <typename Table, typename CheckRow>
  Result<> rows(const Table& table, const char* name, const CheckRow& check_row) {
    at(0, std::string("dictionary.") + name);
    for (size_t i = 0; i < table.size(); ++i) {
      at_element(table[i].offset, i);
      TRY(check_row(table[i]));
    }
    return {};
  }

  Result<> check_tables() {
    TRY(rows(dictionary_.mapping_table, "mappingTable", [&](const message::Mapping& row) -> Result<> {
      TRY(string(row.filename_strindex, "a mapping"));
      return attribute_list(row.attribute_indices, "a mapping");
    }));
    TRY(rows(dictionary_.function_table, "functionTable", [&](const message::Function& row) -> Result<> {
      TRY(string(row.name_strindex, "a function"));
      TRY(string(row.system_name_strindex, "a function"));
      return string(row.filename_strindex, "a function");
    }));
    TRY(rows(dictionary_.location_table, "locationTable", [&](const message::Location& row) -> Result<> {
      TRY(index(row.mapping_index, dictionary_.mapping_table.size(), "mapping_table", "a location"));
      for (const message::Line& line : row.lines) {
        TRY(index(line.function_index, dictionary_.function_table.size(), "function_table", "a line"));
      }
      return attribute_list(row.attribute_indices, "a location");
    }));
    TRY(rows(dictionary_.stack_table, "stackTable", [&](const message::Stack& row) -> Result<> {
      for (const int32_t location : row.location_indices) {
        TRY(index(location, dictionary_.location_table.size(), "location_table", "a stack"));
      }
      return {};
    }));
    return rows(dictionary_.attribute_table, "attributeTable", [&](const message::Attribute& row) -> Result<> {
      TRY(string(row.key_strindex, "an attribute"));
      TRY(string(row.unit_strindex, "an attribute"));
      return value(row.value);
    });
  }

  Result<> check_scope(const message::ScopeProfiles& scope, const std::string& path) {
    at(scope.offset, path);
    TRY(attributes(scope.scope.attributes));
    for (size_t p = 0; p < scope.profiles.size(); ++p) {
      TRY(check_profile(scope.profiles[p], path + ".profiles[" + std::to_string(p) + "]"));
    }
    return {};
  }

  Result<> check_profile(const message::Profile& profile, const std::string& path) {
    at(profile.offset, path);
    TRY(value_type(profile.sample_type, "a sample type"));
    TRY(value_type(profile.period_type, "a period type"));
    TRY(attribute_list(profile.attribute_indices, "a profile"));
    for (const int32_t comment : profile.comment_strindices) TRY(string(comment, "a comment"));
    at(0, path + ".samples");
    for (size_t i = 0; i < profile.samples.size(); ++i) {
      const message::Sample& sample = profile.samples[i];
      at_element(sample.offset, i);
      TRY(index(sample.stack_index, dictionary_.stack_table.size(), "stack_table", "a sample"));
      TRY(index(sample.link_index, dictionary_.link_table.size(), "link_table", "a sample"));
      TRY(attribute_list(sample.attribute_indices, "a sample"));
    }
    return {};
  }

  const message::ProfilesData& data_;
  const message::Dictionary& dictionary_;
  size_t offset_ = 0;
  std::string path_;
  size_t element_ = SIZE_MAX;
};

}  // namespace

Result<> check_indices(const message::ProfilesData& data) { return Checker(data).check(); }

}  // namespace atys::format::otlp
