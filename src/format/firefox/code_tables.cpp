// SPDX-License-Identifier: Apache-2.0
#include "format/firefox/code_tables.h"

#include <cstdio>
#include <span>
#include <string>

#include "format/firefox/categories.h"

namespace atys::format::firefox {

using namespace profile;

namespace {

// The viewer keeps addresses in 32 bits.
int64_t address_in_file(const Profile& profile, const Frame& frame) {
  const Mapping& mapping = profile.mappings[frame.mapping];
  const uint64_t address = frame.address - mapping.start + mapping.file_offset;
  return frame.address >= mapping.start && address <= UINT32_MAX ? static_cast<int64_t>(address) : kNone;
}

std::string hexadecimal(int64_t number) {
  char digits[24];
  return {digits,
          static_cast<size_t>(std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number)))};
}

// One column of a table: `cell(row)` writes one value, for every row but the empty one.
template <typename Row, typename Cell>
void write_column(JsonWriter& json, std::string_view name, std::span<const Row> rows, const Cell& cell) {
  json.key(name).begin_array();
  for (const Row& row : rows.subspan(1)) cell(row);
  json.end_array();
}

void write_constants(JsonWriter& json, std::string_view name, size_t count, std::string_view constant) {
  json.key(name).begin_array();
  for (size_t i = 0; i < count; ++i) json.literal(constant);
  json.end_array();
}

// Lines and columns are 32 bits in the viewer, null where unknown.
void write_place(JsonWriter& json, int64_t number) {
  if (number > 0 && number <= INT32_MAX) {
    json.value(number);
  } else {
    json.null();
  }
}

}  // namespace

uint64_t hash(const FuncRow& row) {
  return hash_mix(hash_mix((uint64_t{raw(row.name)} << 32 | raw(row.file)) ^ hash_seed(), static_cast<uint64_t>(row.lib)),
                  static_cast<uint64_t>(row.start_line));
}

uint64_t hash(const FrameRow& row) {
  const uint64_t place = hash_mix(static_cast<uint64_t>(row.line) ^ hash_seed(), static_cast<uint64_t>(row.column));
  const uint64_t code = hash_mix(static_cast<uint64_t>(row.address), static_cast<uint64_t>(row.lib) << 8 | row.category);
  return hash_mix(hash_mix(place, code), uint64_t{row.func} << 32 | row.inline_depth);
}

int64_t CodeTables::stack(StackId id) {
  int64_t& known = node_of_[raw(id)];
  if (known != kNotAsked) return known;
  CallNodeId node = kCallTreeRoot;
  const auto leaf_first = profile_.stacks[id];
  for (size_t i = leaf_first.size(); i > 0; --i) {
    for (const uint32_t frame : frames_of(leaf_first[i - 1])) node = stacks_.intern({node, frame});
  }
  known = int64_t{raw(node)} - 1;
  return known;
}

const std::vector<uint32_t>& CodeTables::frames_of(FrameId id) {
  std::vector<uint32_t>& ids = frames_of_[raw(id)];
  if (!ids.empty()) return ids;
  const Frame& frame = profile_.frames[id];
  const auto lines = profile_.lines[frame.lines];
  FrameRow row;
  row.lib = libs_.intern(profile_, frame.mapping);
  if (row.lib != kNone) row.address = address_in_file(profile_, frame);
  if (row.address == kNone) row.lib = kNone;
  row.category = category_of(profile_, frame);
  if (lines.empty()) {
    has_unresolved_frames_ = true;
    // The viewer puts the file's name in front itself.
    ids.push_back(add_frame(row, row.lib == kNone ? unresolved_name(profile_, frame) : hexadecimal(row.address), {}, 0));
  }
  for (size_t i = lines.size(); i > 0; --i) {
    const Line& line = lines[i - 1];
    const Function& function = profile_.functions[line.function];
    row.line = line.line;
    row.column = line.column;
    row.inline_depth = static_cast<uint32_t>(lines.size() - i);
    ids.push_back(
        add_frame(row, function_name(profile_, line.function), profile_.text(function.filename), function.start_line));
  }
  return ids;
}

uint32_t CodeTables::add_frame(FrameRow row, std::string_view name, std::string_view file, int64_t start_line) {
  const FuncRow func{strings_.intern(name), strings_.intern(file), row.lib, start_line};
  source_of_.resize(strings_.size(), kNone);
  if (func.file != kNoString && source_of_[raw(func.file)] == kNone) {
    source_of_[raw(func.file)] = static_cast<int64_t>(sources_.size());
    sources_.push_back(func.file);
  }
  row.func = raw(funcs_.intern(func));
  return raw(frames_.intern(row));
}

void CodeTables::write_shared(JsonWriter& json) {
  json.key("shared").begin_object();
  write_stacks(json);
  write_frames(json);
  write_funcs(json);
  write_resources(json);
  write_sources(json);
  json.key("nativeSymbols").begin_object();
  for (const char* const column : {"libIndex", "address", "name", "functionSize"})
    json.key(column).begin_array().end_array();
  json.field("length", 0).end_object();
  json.key("sourceLocationTable").begin_object();
  for (const char* const column : {"source", "line", "column"}) json.key(column).begin_array().end_array();
  json.field("length", 0).end_object();
  write_strings(json);
  json.end_object();
}

void CodeTables::write_stacks(JsonWriter& json) const {
  json.key("stackTable").begin_object();
  write_column(json, "frame", stacks_.rows(), [&](const CallNode& node) { json.value(node.frame - 1); });
  uint32_t id = 0;
  write_column(json, "prefixOffset", stacks_.rows(), [&](const CallNode& node) {
    ++id;
    json.value(node.parent == kCallTreeRoot ? 0 : id - raw(node.parent));
  });
  json.field("length", stacks_.size() - 1).end_object();
}

void CodeTables::write_frames(JsonWriter& json) const {
  const auto rows = frames_.rows();
  json.key("frameTable").begin_object();
  write_column(json, "address", rows, [&](const FrameRow& row) { json.value(row.address); });
  write_column(json, "lib", rows, [&](const FrameRow& row) { json.value(row.lib); });
  write_column(json, "inlineDepth", rows, [&](const FrameRow& row) { json.value(row.inline_depth); });
  write_column(json, "category", rows, [&](const FrameRow& row) { json.value(row.category); });
  write_constants(json, "subcategory", rows.size() - 1, "0");
  write_column(json, "func", rows, [&](const FrameRow& row) { json.value(row.func - 1); });
  write_constants(json, "nativeSymbol", rows.size() - 1, "null");
  write_constants(json, "innerWindowID", rows.size() - 1, "0");
  write_column(json, "line", rows, [&](const FrameRow& row) { write_place(json, row.line); });
  write_column(json, "column", rows, [&](const FrameRow& row) { write_place(json, row.column); });
  write_constants(json, "originalLocation", rows.size() - 1, "null");
  json.field("length", rows.size() - 1).end_object();
}

void CodeTables::write_funcs(JsonWriter& json) const {
  const auto rows = funcs_.rows();
  json.key("funcTable").begin_object();
  write_column(json, "name", rows, [&](const FuncRow& row) { json.value(raw(row.name)); });
  write_constants(json, "isJS", rows.size() - 1, "false");
  write_constants(json, "relevantForJS", rows.size() - 1, "false");
  write_column(json, "resource", rows, [&](const FuncRow& row) { json.value(row.lib); });  // one resource per lib
  write_column(json, "source", rows, [&](const FuncRow& row) {
    if (row.file == kNoString) {
      json.null();
    } else {
      json.value(source_of_[raw(row.file)]);
    }
  });
  write_column(json, "lineNumber", rows, [&](const FuncRow& row) { write_place(json, row.start_line); });
  write_constants(json, "columnNumber", rows.size() - 1, "null");
  write_constants(json, "originalLocation", rows.size() - 1, "null");
  json.field("length", rows.size() - 1).end_object();
}

void CodeTables::write_resources(JsonWriter& json) {
  json.key("resourceTable").begin_object();
  json.key("name").begin_array();
  for (size_t i = 0; i < libs_.size(); ++i) json.value(raw(strings_.intern(libs_.name(i))));
  json.end_array();
  write_constants(json, "host", libs_.size(), "null");
  write_constants(json, "type", libs_.size(), "1");  // a library
  json.field("length", libs_.size()).end_object();
}

void CodeTables::write_sources(JsonWriter& json) const {
  json.key("sources").begin_object();
  json.key("filename").begin_array();
  for (const StringId file : sources_) json.value(raw(file));
  json.end_array();
  for (const char* const column : {"id", "sourceMapURL", "content"}) write_constants(json, column, sources_.size(), "null");
  for (const char* const column : {"startLine", "startColumn"}) write_constants(json, column, sources_.size(), "1");
  json.field("length", sources_.size()).end_object();
}

void CodeTables::write_strings(JsonWriter& json) const {
  json.key("stringArray").begin_array();
  for (uint32_t i = 0; i < strings_.size(); ++i) json.value(strings_.view(StringId{i}));
  json.end_array();
}

}  // namespace atys::format::firefox
