// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include <algorithm>
#include <cstdio>

#include "base/path_names.h"

namespace atys::profile {

size_t Profile::add_value_type(std::string_view type, std::string_view unit) {
  return add_value_type({strings.intern(type), strings.intern(unit)});
}

size_t Profile::add_value_type(ValueType type) {
  value_types_.push_back(type);
  samples.add_value_column();
  return value_types_.size() - 1;
}

size_t Profile::default_value_column() const {
  for (size_t i = 0; i < value_types_.size(); ++i) {
    if (header.default_value_type != kNoString && text(value_types_[i].type) == text(header.default_value_type)) return i;
  }
  return value_types_.empty() ? 0 : value_types_.size() - 1;
}

FrameId Profile::named_frame(std::string_view name, std::string_view file, int64_t line, std::string_view kind) {
  const StringId name_id = strings.intern(name);
  const FunctionId function = functions.intern({name_id, kNoString, strings.intern(file), 0});
  const Line only{line, 0, function};
  Frame frame;
  frame.lines = lines.intern({&only, 1});
  frame.kind = strings.intern(kind);
  return frames.intern(frame);
}

LabelId Profile::string_label(std::string_view key, std::string_view value, LabelScope scope) {
  return labels.intern({strings.intern(key), strings.intern(value), 0, kNoString, LabelType::String, scope});
}

LabelId Profile::int_label(std::string_view key, int64_t value, std::string_view unit, LabelScope scope) {
  return labels.intern({strings.intern(key), kNoString, value, strings.intern(unit), LabelType::Int, scope});
}

LabelSetId Profile::label_set(std::vector<LabelId> members) {
  std::ranges::stable_sort(members, [&](LabelId a, LabelId b) {
    const Label& left = labels[a];
    const Label& right = labels[b];
    if (left.scope != right.scope) return left.scope < right.scope;
    return left.key != right.key && text(left.key) < text(right.key);
  });
  return label_sets.intern(members);
}

void Profile::add_loss(std::string_view reason, uint64_t count) {
  if (count == 0) return;
  const StringId id = strings.intern(reason);
  for (Loss& loss : losses) {
    if (loss.reason == id) {
      loss.count += count;
      return;
    }
  }
  losses.push_back({id, count});
}

void Profile::add_fact(std::string_view key, std::string_view value) {
  const Fact fact{strings.intern(key), strings.intern(value)};
  if (std::ranges::find(provenance, fact) == provenance.end()) provenance.push_back(fact);
}

void Profile::add_comment(std::string_view comment) {
  const StringId id = strings.intern(comment);
  if (std::ranges::find(header.comments, id) == header.comments.end()) header.comments.push_back(id);
}

size_t Profile::memory_bytes() const {
  return strings.memory_bytes() + mappings.memory_bytes() + functions.memory_bytes() + lines.memory_bytes() +
         frames.memory_bytes() + stacks.memory_bytes() + labels.memory_bytes() + label_sets.memory_bytes() +
         samples.memory_bytes() + sizeof(Profile);
}

std::string_view function_name(const Profile& profile, FunctionId id) {
  const Function& function = profile.functions[id];
  if (function.name != kNoString) return profile.text(function.name);
  if (function.system_name != kNoString) return profile.text(function.system_name);
  return "?";
}

std::string unresolved_name(const Profile& profile, const Frame& frame) {
  const Mapping& mapping = profile.mappings[frame.mapping];
  const std::string_view module = base_name(profile.text(mapping.filename));
  char number[24];
  const bool has_module = !module.empty() && frame.address >= mapping.start;
  const uint64_t offset = has_module ? frame.address - mapping.start + mapping.file_offset : frame.address;
  std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(offset));
  return has_module ? std::string(module) + "+" + number : number;
}

std::string frame_name(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  const auto lines = profile.lines[frame.lines];
  return lines.empty() ? unresolved_name(profile, frame) : std::string(function_name(profile, lines.front().function));
}

}  // namespace atys::profile
