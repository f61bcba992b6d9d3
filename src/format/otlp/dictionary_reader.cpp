// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/dictionary_reader.h"

#include "format/otlp/label_attribute.h"

namespace atys::format::otlp {

using namespace profile;

namespace {

// Index 0 is "none" also where a writer has left out the empty entry.
template <typename Table>
Result<> check(const Table& table, const char* name, int32_t index, const char* who) {
  if (index == 0 || (index > 0 && static_cast<size_t>(index) < table.size())) return {};
  return fail(ErrorCode::InvalidInput,
              std::string("bad OTLP data: ") + who + " refers to entry " + std::to_string(index) + " of " + name +
                  ", which has " + std::to_string(table.size()),
              "the file is damaged or its writer has a bug; get it again");
}

}  // namespace

DictionaryReader::DictionaryReader(const message::Dictionary& dictionary, Profile& profile, LabelBudget& budget)
    : dictionary_(&dictionary),
      profile_(&profile),
      budget_(&budget),
      sample_labels_(dictionary.attribute_table.size()),
      profile_labels_(dictionary.attribute_table.size()) {}

Result<> DictionaryReader::read() {
  for (const std::string& text : dictionary_->string_table) strings_.push_back(profile_->strings.intern(text));
  first_mapping_ = static_cast<uint32_t>(profile_->mappings.size()) - 1;
  first_function_ = static_cast<uint32_t>(profile_->functions.size()) - 1;
  TRY(read_mappings());
  TRY(read_functions());
  first_frame_ = static_cast<uint32_t>(profile_->frames.size()) - 1;
  TRY(read_frames());
  return read_stacks();
}

Result<std::string_view> DictionaryReader::text(int32_t index, const char* who) const {
  TRY(check(dictionary_->string_table, "string_table", index, who));
  return index == 0 ? std::string_view{} : std::string_view(dictionary_->string_table[static_cast<size_t>(index)]);
}

Result<StringId> DictionaryReader::string(int32_t index, const char* who) const {
  TRY(check(dictionary_->string_table, "string_table", index, who));
  return index == 0 ? kNoString : strings_[static_cast<size_t>(index)];
}

Result<ValueType> DictionaryReader::value_type(const message::ValueType& type, const char* who) const {
  return ValueType{TRY(string(type.type_strindex, who)), TRY(string(type.unit_strindex, who))};
}

Result<StackId> DictionaryReader::stack(int32_t index) const {
  TRY(check(dictionary_->stack_table, "stack_table", index, "a sample"));
  return index == 0 ? kEmptyStack : stacks_[static_cast<size_t>(index)];
}

Result<const message::Link*> DictionaryReader::link(int32_t index) const {
  TRY(check(dictionary_->link_table, "link_table", index, "a sample"));
  return index == 0 ? nullptr : &dictionary_->link_table[static_cast<size_t>(index)];
}

Result<const message::Attribute*> DictionaryReader::attribute(int32_t index, const char* who) const {
  TRY(check(dictionary_->attribute_table, "attribute_table", index, who));
  return index == 0 ? nullptr : &dictionary_->attribute_table[static_cast<size_t>(index)];
}

Result<std::span<const LabelId>> DictionaryReader::labels(int32_t index, AttributeList list, const char* who) {
  const message::Attribute* attribute_at = TRY(attribute(index, who));
  if (attribute_at == nullptr) return std::span<const LabelId>{};
  KnownLabels& known = (list == AttributeList::Profile ? profile_labels_ : sample_labels_)[static_cast<size_t>(index)];
  if (!known.is_known) {
    append_labels(*profile_, TRY(text(attribute_at->key_strindex, "an attribute")), attribute_at->value,
                  TRY(text(attribute_at->unit_strindex, "an attribute")), list, known.labels);
    known.is_known = true;
  }
  TRY(budget_->spend(known.labels.size()));
  return std::span<const LabelId>(known.labels);
}

// `take_special(key, value)` says whether the attribute was something else than a label.
template <typename TakeSpecial>
Result<LabelSetId> DictionaryReader::take_attributes(const std::vector<int32_t>& indices, AttributeList list,
                                                     const char* who, const TakeSpecial& take_special) {
  std::vector<LabelId> members;
  for (const int32_t index : indices) {
    const message::Attribute* attribute_at = TRY(attribute(index, who));
    if (attribute_at == nullptr) continue;
    const bool is_bare = attribute_at->unit_strindex == 0;
    if (is_bare && take_special(TRY(text(attribute_at->key_strindex, who)), attribute_at->value)) continue;
    const auto more = TRY(labels(index, list, who));
    members.insert(members.end(), more.begin(), more.end());
  }
  return profile_->label_set(std::move(members));
}

Result<LabelSetId> DictionaryReader::take_mapping_attributes(const std::vector<int32_t>& indices, Mapping& mapping) {
  return take_attributes(indices, AttributeList::Mapping, "a mapping", [&](std::string_view key, const AnyValue& value) {
    const auto* text_value = value.get<std::string>();
    if (key == kGnuBuildId && text_value != nullptr && mapping.build_id == kNoString) {
      mapping.build_id = profile_->strings.intern(*text_value);
      return true;
    }
    bool* flag = key == kHasFunctions      ? &mapping.has_functions
                 : key == kHasFilenames    ? &mapping.has_filenames
                 : key == kHasLineNumbers  ? &mapping.has_line_numbers
                 : key == kHasInlineFrames ? &mapping.has_inline_frames
                                           : nullptr;
    const auto* truth = value.get<bool>();
    if (flag == nullptr || truth == nullptr) return false;
    *flag = *truth;
    return true;
  });
}

Result<LabelSetId> DictionaryReader::take_frame_attributes(const std::vector<int32_t>& indices, Frame& frame) {
  return take_attributes(indices, AttributeList::Location, "a location", [&](std::string_view key, const AnyValue& value) {
    const auto* kind = value.get<std::string>();
    const auto* truth = value.get<bool>();
    if (key == kFrameType && kind != nullptr && frame.kind == kNoString) {
      frame.kind = profile_->strings.intern(*kind);
      return true;
    }
    if (key != kIsFolded || truth == nullptr) return false;
    frame.is_folded = *truth;
    return true;
  });
}

Result<> DictionaryReader::read_mappings() {
  for (size_t i = 1; i < dictionary_->mapping_table.size(); ++i) {
    const message::Mapping& from = dictionary_->mapping_table[i];
    Mapping mapping;
    mapping.start = from.memory_start;
    mapping.limit = from.memory_limit;
    mapping.file_offset = from.file_offset;
    mapping.filename = TRY(string(from.filename_strindex, "a mapping"));
    mapping.attributes = TRY(take_mapping_attributes(from.attribute_indices, mapping));
    profile_->mappings.append(mapping);
  }
  return {};
}

Result<> DictionaryReader::read_functions() {
  for (size_t i = 1; i < dictionary_->function_table.size(); ++i) {
    const message::Function& from = dictionary_->function_table[i];
    profile_->functions.append({TRY(string(from.name_strindex, "a function")),
                                TRY(string(from.system_name_strindex, "a function")),
                                TRY(string(from.filename_strindex, "a function")), from.start_line});
  }
  return {};
}

// A line without a function, or a stack with a hole, refers to a row of its own: other formats cannot refer to row 0.
Result<FunctionId> DictionaryReader::function(int32_t index) {
  TRY(check(dictionary_->function_table, "function_table", index, "a line"));
  if (index != 0) return FunctionId{first_function_ + static_cast<uint32_t>(index)};
  if (nameless_function_ == FunctionId{}) nameless_function_ = profile_->functions.append({});
  return nameless_function_;
}

Result<FrameId> DictionaryReader::frame(int32_t index) {
  TRY(check(dictionary_->location_table, "location_table", index, "a stack"));
  if (index != 0) return FrameId{first_frame_ + static_cast<uint32_t>(index)};
  if (nameless_frame_ == FrameId{}) nameless_frame_ = profile_->frames.append({});
  return nameless_frame_;
}

Result<LineListId> DictionaryReader::lines(const message::Location& location) {
  if (location.lines.empty()) return LineListId{};
  std::vector<Line> list;
  for (const message::Line& line : location.lines)
    list.push_back({line.line, line.column, TRY(function(line.function_index))});
  return profile_->lines.append(list);
}

Result<> DictionaryReader::read_frames() {
  for (size_t i = 1; i < dictionary_->location_table.size(); ++i) {
    const message::Location& from = dictionary_->location_table[i];
    TRY(check(dictionary_->mapping_table, "mapping_table", from.mapping_index, "a location"));
    Frame row;
    row.address = from.address;
    row.mapping =
        from.mapping_index == 0 ? kNoMapping : MappingId{first_mapping_ + static_cast<uint32_t>(from.mapping_index)};
    row.lines = TRY(lines(from));
    row.attributes = TRY(take_frame_attributes(from.attribute_indices, row));
    profile_->frames.append(row);
  }
  return {};
}

Result<> DictionaryReader::read_stacks() {
  std::vector<FrameId> frames;
  for (const message::Stack& from : dictionary_->stack_table) {
    frames.clear();
    for (const int32_t index : from.location_indices) frames.push_back(TRY(frame(index)));
    stacks_.push_back(profile_->stacks.intern(frames));
  }
  return {};
}

}  // namespace atys::format::otlp
