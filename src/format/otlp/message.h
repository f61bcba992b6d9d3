// SPDX-License-Identifier: Apache-2.0
// The messages of OpenTelemetry's profiles signal, and one description of each: the number, the JSON name and the place of
// every field. Both codecs, in both directions, are visitors of these descriptions.
//
// An index is a position in a table of the dictionary; 0 is always "none". `offset` is where a message was in the file, for
// errors; 0 where that is not known, as in JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "format/otlp/any_value.h"
#include "format/otlp/dialect.h"

namespace atys::format::otlp {

namespace message {

struct Resource {
  std::vector<KeyValue> attributes;
  uint32_t dropped_attributes_count = 0;
};

struct Scope {
  std::string name, version;
  std::vector<KeyValue> attributes;
  uint32_t dropped_attributes_count = 0;
};

struct ValueType {
  int32_t type_strindex = 0, unit_strindex = 0;

  bool operator==(const ValueType&) const = default;
};

struct Sample {
  int32_t stack_index = 0;
  std::vector<int32_t> attribute_indices;
  int32_t link_index = 0;
  std::vector<int64_t> values;
  std::vector<uint64_t> timestamps_unix_nano;
  size_t offset = 0;
};

struct Profile {
  ValueType sample_type;
  std::vector<Sample> samples;
  uint64_t time_unix_nano = 0, duration_nano = 0;
  ValueType period_type;
  int64_t period = 0;
  std::vector<int32_t> comment_strindices;  // only in the oldest dialect
  std::string profile_id;
  uint32_t dropped_attributes_count = 0;
  std::string original_payload_format, original_payload;
  std::vector<int32_t> attribute_indices;
  size_t offset = 0;
};

struct ScopeProfiles {
  Scope scope;
  std::vector<Profile> profiles;
  std::string schema_url;
  size_t offset = 0;
};

struct ResourceProfiles {
  Resource resource;
  std::vector<ScopeProfiles> scope_profiles;
  std::string schema_url;
  size_t offset = 0;
};

struct Mapping {
  uint64_t memory_start = 0, memory_limit = 0, file_offset = 0;
  int32_t filename_strindex = 0;
  std::vector<int32_t> attribute_indices;
  size_t offset = 0;
};

struct Line {
  int32_t function_index = 0;
  int64_t line = 0, column = 0;
};

struct Location {
  int32_t mapping_index = 0;
  uint64_t address = 0;
  std::vector<Line> lines;
  std::vector<int32_t> attribute_indices;
  size_t offset = 0;
};

struct Function {
  int32_t name_strindex = 0, system_name_strindex = 0, filename_strindex = 0;
  int64_t start_line = 0;
  size_t offset = 0;
};

struct Link {
  std::string trace_id, span_id;
};

struct Attribute {
  int32_t key_strindex = 0;
  AnyValue value;
  int32_t unit_strindex = 0;
  size_t offset = 0;
};

struct Stack {
  std::vector<int32_t> location_indices;  // leaf first
  size_t offset = 0;
};

struct Dictionary {
  std::vector<Mapping> mapping_table;
  std::vector<Location> location_table;
  std::vector<Function> function_table;
  std::vector<Link> link_table;
  std::vector<std::string> string_table;
  std::vector<Attribute> attribute_table;
  std::vector<Stack> stack_table;
};

struct ProfilesData {
  std::vector<ResourceProfiles> resource_profiles;
  Dictionary dictionary;
};

}  // namespace message

// A message, const for those who write it.
template <typename M, typename T>
concept Is = std::same_as<std::remove_const_t<M>, T>;

template <typename Visitor>
void describe(Visitor& v, Is<AnyValue> auto& m) {
  v.one_of(1, "stringValue", m.value, std::in_place_type<std::string>);
  v.one_of(2, "boolValue", m.value, std::in_place_type<bool>);
  v.one_of(3, "intValue", m.value, std::in_place_type<int64_t>);
  v.one_of(4, "doubleValue", m.value, std::in_place_type<double>);
  v.one_of(5, "arrayValue", m.value, std::in_place_type<ArrayValue>);
  v.one_of(6, "kvlistValue", m.value, std::in_place_type<KeyValueList>);
  v.one_of(7, "bytesValue", m.value, std::in_place_type<BytesValue>);
  v.one_of(8, "stringValueStrindex", m.value, std::in_place_type<StringReference>);
}
template <typename Visitor>
void describe(Visitor& v, Is<ArrayValue> auto& m) {
  v.messages(1, "values", m.values);
}
template <typename Visitor>
void describe(Visitor& v, Is<KeyValueList> auto& m) {
  v.messages(1, "values", m.values);
}
template <typename Visitor>
void describe(Visitor& v, Is<KeyValue> auto& m) {
  v.text(1, "key", m.key);
  v.message(2, "value", m.value);
  v.number(3, "keyStrindex", m.key_strindex);
}

namespace message {

template <typename Visitor>
void describe(Visitor& v, Is<Resource> auto& m) {
  v.messages(1, "attributes", m.attributes);
  v.number(2, "droppedAttributesCount", m.dropped_attributes_count);
}
template <typename Visitor>
void describe(Visitor& v, Is<Scope> auto& m) {
  v.text(1, "name", m.name);
  v.text(2, "version", m.version);
  v.messages(3, "attributes", m.attributes);
  v.number(4, "droppedAttributesCount", m.dropped_attributes_count);
}
template <typename Visitor>
void describe(Visitor& v, Is<ValueType> auto& m) {
  v.number(1, "typeStrindex", m.type_strindex);
  v.number(2, "unitStrindex", m.unit_strindex);
}
template <typename Visitor>
void describe(Visitor& v, Is<Sample> auto& m) {
  const SampleNumbers& numbers = v.dialect().sample;
  v.number(1, "stackIndex", m.stack_index);
  v.numbers(numbers.attribute_indices, "attributeIndices", m.attribute_indices);
  v.number(numbers.link_index, "linkIndex", m.link_index);
  v.numbers(numbers.values, "values", m.values);
  v.fixed64s(5, "timestampsUnixNano", m.timestamps_unix_nano);
}
template <typename Visitor>
void describe(Visitor& v, Is<Profile> auto& m) {
  const ProfileNumbers& numbers = v.dialect().profile;
  v.message(1, "sampleType", m.sample_type);
  v.messages(2, "samples", m.samples);
  v.fixed64(3, "timeUnixNano", m.time_unix_nano);
  v.number(4, "durationNano", m.duration_nano);
  v.message(5, "periodType", m.period_type);
  v.number(6, "period", m.period);
  v.numbers(numbers.comment_strindices, "commentStrindices", m.comment_strindices);
  v.id(numbers.profile_id, "profileId", m.profile_id);
  v.number(numbers.profile_id + 1, "droppedAttributesCount", m.dropped_attributes_count);
  v.text(numbers.profile_id + 2, "originalPayloadFormat", m.original_payload_format);
  v.bytes(numbers.profile_id + 3, "originalPayload", m.original_payload);
  v.numbers(numbers.profile_id + 4, "attributeIndices", m.attribute_indices);
}
template <typename Visitor>
void describe(Visitor& v, Is<ScopeProfiles> auto& m) {
  v.message(1, "scope", m.scope);
  v.messages(2, "profiles", m.profiles);
  v.text(3, "schemaUrl", m.schema_url);
}
template <typename Visitor>
void describe(Visitor& v, Is<ResourceProfiles> auto& m) {
  v.message(1, "resource", m.resource);
  v.messages(2, "scopeProfiles", m.scope_profiles);
  v.text(3, "schemaUrl", m.schema_url);
}
template <typename Visitor>
void describe(Visitor& v, Is<Mapping> auto& m) {
  v.number(1, "memoryStart", m.memory_start);
  v.number(2, "memoryLimit", m.memory_limit);
  v.number(3, "fileOffset", m.file_offset);
  v.number(4, "filenameStrindex", m.filename_strindex);
  v.numbers(5, "attributeIndices", m.attribute_indices);
}
template <typename Visitor>
void describe(Visitor& v, Is<Line> auto& m) {
  v.number(1, "functionIndex", m.function_index);
  v.number(2, "line", m.line);
  v.number(3, "column", m.column);
}
template <typename Visitor>
void describe(Visitor& v, Is<Location> auto& m) {
  v.number(1, "mappingIndex", m.mapping_index);
  v.number(2, "address", m.address);
  v.messages(3, "lines", m.lines);
  v.numbers(4, "attributeIndices", m.attribute_indices);
}
template <typename Visitor>
void describe(Visitor& v, Is<Function> auto& m) {
  v.number(1, "nameStrindex", m.name_strindex);
  v.number(2, "systemNameStrindex", m.system_name_strindex);
  v.number(3, "filenameStrindex", m.filename_strindex);
  v.number(4, "startLine", m.start_line);
}
template <typename Visitor>
void describe(Visitor& v, Is<Link> auto& m) {
  v.id(1, "traceId", m.trace_id);
  v.id(2, "spanId", m.span_id);
}
template <typename Visitor>
void describe(Visitor& v, Is<Attribute> auto& m) {
  v.number(1, "keyStrindex", m.key_strindex);
  v.message(2, "value", m.value);
  v.number(3, "unitStrindex", m.unit_strindex);
}
template <typename Visitor>
void describe(Visitor& v, Is<Stack> auto& m) {
  v.numbers(1, "locationIndices", m.location_indices);
}
template <typename Visitor>
void describe(Visitor& v, Is<Dictionary> auto& m) {
  v.messages(1, "mappingTable", m.mapping_table);
  v.messages(2, "locationTable", m.location_table);
  v.messages(3, "functionTable", m.function_table);
  v.messages(4, "linkTable", m.link_table);
  v.texts(5, "stringTable", m.string_table);
  v.messages(6, "attributeTable", m.attribute_table);
  v.messages(7, "stackTable", m.stack_table);
}
template <typename Visitor>
void describe(Visitor& v, Is<ProfilesData> auto& m) {
  v.messages(1, "resourceProfiles", m.resource_profiles);
  v.message(2, "dictionary", m.dictionary);
}

}  // namespace message

}  // namespace atys::format::otlp
