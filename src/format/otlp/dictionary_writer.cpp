// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/dictionary_writer.h"

#include <algorithm>
#include <limits>

#include "format/otlp/binary_codec.h"

namespace atys::format::otlp {

using namespace profile;

DictionaryWriter::DictionaryWriter(const Profile& profile) : profile_(&profile), stacks_(profile.stacks.size()) {
  dictionary_.mapping_table.emplace_back();
  dictionary_.function_table.emplace_back();
  dictionary_.location_table.emplace_back();
  dictionary_.link_table.emplace_back();
  dictionary_.string_table.emplace_back();
  dictionary_.attribute_table.emplace_back();
  dictionary_.stack_table.emplace_back();
  for (const Mapping& mapping : profile.mappings.rows().subspan(1)) add_mapping(mapping);
  for (const Function& function : profile.functions.rows().subspan(1)) add_function(function);
  for (const Frame& frame : profile.frames.rows().subspan(1)) add_location(frame);
}

int32_t DictionaryWriter::string(std::string_view text) {
  const uint32_t index = raw(strings_.intern(text));
  if (index == dictionary_.string_table.size()) dictionary_.string_table.emplace_back(text);
  return static_cast<int32_t>(index);
}

int32_t DictionaryWriter::attribute(std::string_view key, AnyValue value, std::string_view unit) {
  message::Attribute attribute{string(key), std::move(value), string(unit)};
  const uint32_t index = raw(attributes_.intern(encode_binary(attribute)));
  if (index == dictionary_.attribute_table.size()) dictionary_.attribute_table.push_back(std::move(attribute));
  return static_cast<int32_t>(index);
}

std::vector<int32_t> DictionaryWriter::attributes(std::span<const LabelId> labels, AttributeList list) {
  std::vector<int32_t> indices;
  for (LabelAttribute& each : attributes_of(*profile_, labels, list)) {
    indices.push_back(attribute(each.key, std::move(each.value), each.unit));
  }
  return indices;
}

int32_t DictionaryWriter::link(std::string_view trace_id, std::string_view span_id) {
  const uint32_t index = raw(links_.intern(std::string(trace_id) + std::string(span_id)));
  if (index == dictionary_.link_table.size())
    dictionary_.link_table.push_back({std::string(trace_id), std::string(span_id)});
  return static_cast<int32_t>(index);
}

int32_t DictionaryWriter::stack(StackId id) {
  int32_t& index = stacks_[raw(id)];
  if (index != 0 || id == kEmptyStack) return index;
  index = static_cast<int32_t>(dictionary_.stack_table.size());
  message::Stack& stack = dictionary_.stack_table.emplace_back();
  for (const FrameId frame : profile_->stacks[id]) stack.location_indices.push_back(static_cast<int32_t>(raw(frame)));
  return index;
}

void DictionaryWriter::add_mapping(const Mapping& mapping) {
  message::Mapping out{mapping.start, mapping.limit, mapping.file_offset, string(mapping.filename),
                       attributes(profile_->label_sets[mapping.attributes], AttributeList::Mapping)};
  const auto add = [&](bool is_set, std::string_view key, AnyValue value) {
    if (is_set) out.attribute_indices.push_back(attribute(key, std::move(value)));
  };
  add(!profile_->text(mapping.build_id).empty(), kGnuBuildId, any(profile_->text(mapping.build_id)));
  add(mapping.has_functions, kHasFunctions, {true});
  add(mapping.has_filenames, kHasFilenames, {true});
  add(mapping.has_line_numbers, kHasLineNumbers, {true});
  add(mapping.has_inline_frames, kHasInlineFrames, {true});
  dictionary_.mapping_table.push_back(std::move(out));
}

void DictionaryWriter::add_function(const Function& function) {
  dictionary_.function_table.push_back(
      {string(function.name), string(function.system_name), string(function.filename), function.start_line});
}

void DictionaryWriter::add_location(const Frame& frame) {
  message::Location out{static_cast<int32_t>(raw(frame.mapping)),
                        frame.address,
                        {},
                        attributes(profile_->label_sets[frame.attributes], AttributeList::Location)};
  for (const Line& line : profile_->lines[frame.lines]) {
    out.lines.push_back({static_cast<int32_t>(raw(line.function)), line.line, line.column});
  }
  const std::string_view kind = profile_->text(frame.kind);
  if (!kind.empty()) out.attribute_indices.push_back(attribute(kFrameType, any(kind)));
  if (frame.is_folded) out.attribute_indices.push_back(attribute(kIsFolded, {true}));
  dictionary_.location_table.push_back(std::move(out));
}

Result<message::Dictionary> DictionaryWriter::take() {
  const message::Dictionary& d = dictionary_;
  const size_t most = std::max({d.mapping_table.size(), d.location_table.size(), d.function_table.size(),
                                d.link_table.size(), d.string_table.size(), d.attribute_table.size(), d.stack_table.size()});
  if (most > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return fail(ErrorCode::ResourceExhausted, "the profile has more than 2^31 rows of one kind, which OTLP cannot count",
                "write it as several profiles");
  }
  return std::move(dictionary_);
}

}  // namespace atys::format::otlp
