// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/dictionary_reader.h"

#include "format/otlp/entry.h"
#include "format/otlp/label_attribute.h"

namespace atys::format::otlp {

using namespace profile;

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
  read_functions();
  first_frame_ = static_cast<uint32_t>(profile_->frames.size()) - 1;
  TRY(read_frames());
  read_stacks();
  return {};
}

std::string_view DictionaryReader::text(int32_t index) const { return text_entry(dictionary_->string_table, index); }

StringId DictionaryReader::string(int32_t index) const {
  const StringId* id = entry(strings_, index);
  return id == nullptr ? kNoString : *id;
}

StackId DictionaryReader::stack(int32_t index) const {
  const StackId* id = entry(stacks_, index);
  return id == nullptr ? kEmptyStack : *id;
}

const message::Link* DictionaryReader::link(int32_t index) const { return entry(dictionary_->link_table, index); }

const message::Attribute* DictionaryReader::attribute(int32_t index) const {
  return entry(dictionary_->attribute_table, index);
}

Result<std::span<const LabelId>> DictionaryReader::labels(int32_t index, AttributeList list) {
  const message::Attribute* attribute_at = attribute(index);
  if (attribute_at == nullptr) return std::span<const LabelId>{};
  KnownLabels& known = (list == AttributeList::Profile ? profile_labels_ : sample_labels_)[static_cast<size_t>(index)];
  if (!known.is_known) {
    append_labels(*profile_, text(attribute_at->key_strindex), attribute_at->value, text(attribute_at->unit_strindex), list,
                  known.labels);
    known.is_known = true;
  }
  TRY(budget_->spend(known.labels.size()));
  return std::span<const LabelId>(known.labels);
}

// `take_special(key, value)` says whether the attribute was something else than a label.
template <typename TakeSpecial>
Result<LabelSetId> DictionaryReader::take_attributes(const std::vector<int32_t>& indices, AttributeList list,
                                                     const TakeSpecial& take_special) {
  std::vector<LabelId> members;
  for (const int32_t index : indices) {
    const message::Attribute* attribute_at = attribute(index);
    if (attribute_at == nullptr) continue;
    const bool is_bare = attribute_at->unit_strindex == 0;
    if (is_bare && take_special(text(attribute_at->key_strindex), attribute_at->value)) continue;
    const auto more = TRY(labels(index, list));
    members.insert(members.end(), more.begin(), more.end());
  }
  return profile_->label_set(std::move(members));
}

Result<LabelSetId> DictionaryReader::take_mapping_attributes(const std::vector<int32_t>& indices, Mapping& mapping) {
  return take_attributes(indices, AttributeList::Mapping, [&](std::string_view key, const AnyValue& value) {
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
  return take_attributes(indices, AttributeList::Location, [&](std::string_view key, const AnyValue& value) {
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
    mapping.filename = string(from.filename_strindex);
    mapping.attributes = TRY(take_mapping_attributes(from.attribute_indices, mapping));
    profile_->mappings.append(mapping);
  }
  return {};
}

void DictionaryReader::read_functions() {
  for (size_t i = 1; i < dictionary_->function_table.size(); ++i) {
    const message::Function& from = dictionary_->function_table[i];
    profile_->functions.append(
        {string(from.name_strindex), string(from.system_name_strindex), string(from.filename_strindex), from.start_line});
  }
}

// A line without a function, or a stack with a hole, refers to a row of its own: other formats cannot refer to row 0.
FunctionId DictionaryReader::function(int32_t index) {
  if (entry(dictionary_->function_table, index) != nullptr)
    return FunctionId{first_function_ + static_cast<uint32_t>(index)};
  if (nameless_function_ == FunctionId{}) nameless_function_ = profile_->functions.append({});
  return nameless_function_;
}

FrameId DictionaryReader::frame(int32_t index) {
  if (entry(dictionary_->location_table, index) != nullptr) return FrameId{first_frame_ + static_cast<uint32_t>(index)};
  if (nameless_frame_ == FrameId{}) nameless_frame_ = profile_->frames.append({});
  return nameless_frame_;
}

MappingId DictionaryReader::mapping(int32_t index) const {
  const bool is_none = entry(dictionary_->mapping_table, index) == nullptr;
  return is_none ? kNoMapping : MappingId{first_mapping_ + static_cast<uint32_t>(index)};
}

LineListId DictionaryReader::lines(const message::Location& location) {
  if (location.lines.empty()) return LineListId{};
  std::vector<Line> list;
  for (const message::Line& line : location.lines) list.push_back({line.line, line.column, function(line.function_index)});
  return profile_->lines.append(list);
}

Result<> DictionaryReader::read_frames() {
  for (size_t i = 1; i < dictionary_->location_table.size(); ++i) {
    const message::Location& from = dictionary_->location_table[i];
    Frame row;
    row.address = from.address;
    row.mapping = mapping(from.mapping_index);
    row.lines = lines(from);
    row.attributes = TRY(take_frame_attributes(from.attribute_indices, row));
    profile_->frames.append(row);
  }
  return {};
}

void DictionaryReader::read_stacks() {
  std::vector<FrameId> frames;
  for (const message::Stack& from : dictionary_->stack_table) {
    frames.clear();
    for (const int32_t index : from.location_indices) frames.push_back(frame(index));
    stacks_.push_back(profile_->stacks.intern(frames));
  }
}

}  // namespace atys::format::otlp
