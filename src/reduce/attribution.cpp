// SPDX-License-Identifier: Apache-2.0
#include "reduce/attribution.h"

#include <map>
#include <tuple>
#include <unordered_map>

#include "base/nearest.h"
#include "reduce/anonymous.h"
#include "reduce/label_text.h"

namespace atys::reduce {

using namespace profile;

Result<Dimension> parse_dimension(std::string_view text) {
  static constexpr std::pair<std::string_view, DimensionKind> kNames[] = {
      {"function", DimensionKind::Function}, {"line", DimensionKind::Line},     {"file", DimensionKind::File},
      {"module", DimensionKind::Module},     {"thread", DimensionKind::Thread},
  };
  for (const auto& [name, kind] : kNames) {
    if (text == name) return Dimension{kind, {}};
  }
  if (text.starts_with("label:") && text.size() > 6) return Dimension{DimensionKind::Label, std::string(text.substr(6))};
  std::vector<std::string> names;
  for (const auto& [name, kind] : kNames) names.emplace_back(name);
  return fail(ErrorCode::InvalidInput, "cannot group by '" + std::string(text) + "': no such dimension",
              did_you_mean(text, names, "use function, line, file, module, thread or label:KEY"));
}

std::string to_string(const Dimension& dimension) {
  switch (dimension.kind) {
    case DimensionKind::Function: return "function";
    case DimensionKind::Line: return "line";
    case DimensionKind::File: return "file";
    case DimensionKind::Module: return "module";
    case DimensionKind::Thread: return "thread";
    case DimensionKind::Label: return "label:" + dimension.label_key;
  }
  return "function";
}

namespace {

// Gives equal entities one id. What makes two entities equal depends on the dimension; the rest of an entity is taken from
// the first that is seen.
class EntityInterner {
 public:
  EntityInterner(const Profile& profile, DimensionKind kind, std::vector<Entity>& entities)
      : profile_(profile), kind_(kind), entities_(entities) {}

  EntityId of_line(const Frame& frame, const Line& line) {
    const Function& function = profile_.functions[line.function];
    Key key;
    if (kind_ == DimensionKind::Module) return of_module(frame);
    const std::string file = shown_file(profile_, frame, line.function);
    if (kind_ == DimensionKind::File && file.empty()) return of_module(frame);
    if (kind_ != DimensionKind::File) key.name = text_key(function_name(profile_, line.function));
    key.file = text_key(file);
    if (kind_ == DimensionKind::Line) key.line = line.line;
    const EntityId id = intern(key, [&] {
      Entity entity = place(frame);
      entity.file = file;
      entity.name = kind_ == DimensionKind::File ? entity.file : std::string(function_name(profile_, line.function));
      if (kind_ == DimensionKind::Line) entity.line = line.line;
      if (kind_ == DimensionKind::Function) entity.line = function.start_line;
      return entity;
    });
    if (kind_ == DimensionKind::Function && function.start_line <= 0) note_line(id, line.line);
    return id;
  }

  EntityId of_unresolved(const Frame& frame) {
    if (kind_ == DimensionKind::Module || kind_ == DimensionKind::File) return of_module(frame);
    const std::string name = unresolved_name(profile_, frame);
    return intern({text_key(name), 0, 0}, [&] {
      Entity entity = place(frame);
      entity.name = name;
      return entity;
    });
  }

 private:
  struct Key {
    uint32_t name = 0;
    uint32_t file = 0;
    int64_t line = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return hash_mix(uint64_t{key.name} << 32 | key.file, static_cast<uint64_t>(key.line));
    }
  };

  // Where nothing says in which line a function begins, the first one that was seen of it is near.
  void note_line(EntityId id, int64_t line) {
    int64_t& first = entities_[static_cast<size_t>(id)].line;
    if (line > 0 && (first <= 0 || line < first)) first = line;
  }

  EntityId of_module(const Frame& frame) {
    const std::string_view module = profile_.text(profile_.mappings[frame.mapping].filename);
    const std::string_view name = module.empty() ? std::string_view("(unknown module)") : module;
    return intern({text_key(name), 0, -1}, [&] {
      Entity entity = place(frame);
      entity.name = name;
      return entity;
    });
  }

  Entity place(const Frame& frame) const {
    Entity entity;
    entity.module = profile_.text(profile_.mappings[frame.mapping].filename);
    entity.kind = profile_.text(frame.kind);
    entity.build_id = profile_.text(profile_.mappings[frame.mapping].build_id);
    return entity;
  }

  // Profiles may hold one text under several ids, so entities are told apart by the text itself.
  uint32_t text_key(std::string_view text) { return raw(texts_.intern(text)); }

  template <typename Make>
  EntityId intern(const Key& key, const Make& make) {
    const auto [found, is_new] = known_.try_emplace(key, static_cast<uint32_t>(entities_.size()));
    if (is_new) entities_.push_back(make());
    return EntityId{found->second};
  }

  const Profile& profile_;
  DimensionKind kind_;
  std::vector<Entity>& entities_;
  StringTable texts_;
  std::unordered_map<Key, uint32_t, KeyHash> known_;
};

}  // namespace

Attribution::Attribution(const Profile& profile, const Dimension& dimension) : dimension_(dimension) {
  if (dimension.is_of_frames()) {
    attribute_frames(profile);
  } else {
    attribute_labels(profile);
  }
}

void Attribution::attribute_frames(const Profile& profile) {
  EntityInterner interner(profile, dimension_.kind, entities_);
  frame_lists_.resize(profile.frames.size());
  std::vector<EntityId> ids;
  for (uint32_t i = 1; i < profile.frames.size(); ++i) {
    const Frame& frame = profile.frames[FrameId{i}];
    ids.clear();
    for (const Line& line : profile.lines[frame.lines]) ids.push_back(interner.of_line(frame, line));
    if (ids.empty()) ids.push_back(interner.of_unresolved(frame));
    frame_lists_[i] = frame_entities_.intern(ids);
  }
}

void Attribution::attribute_labels(const Profile& profile) {
  std::map<std::string, EntityId> known;
  label_entities_.resize(profile.label_sets.size());
  for (uint32_t i = 0; i < profile.label_sets.size(); ++i) {
    const std::string name = dimension_.kind == DimensionKind::Thread
                                 ? thread_text(profile, LabelSetId{i})
                                 : label_text(profile, LabelSetId{i}, dimension_.label_key);
    const auto [found, is_new] = known.try_emplace(name, EntityId{static_cast<uint32_t>(entities_.size())});
    if (is_new) entities_.push_back({.name = name, .file = {}, .line = 0, .module = {}, .kind = {}, .build_id = {}});
    label_entities_[i] = found->second;
  }
}

}  // namespace atys::reduce
