// SPDX-License-Identifier: Apache-2.0
// Who a sample's value is charged to. A dimension (function, line, file, module, thread, a label) divides the places of a
// profile into entities; an attribution knows the entities of each frame, or of each label set, of one profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace atys::reduce {

enum class DimensionKind { Function, Line, File, Module, Thread, Label };

struct Dimension {
  DimensionKind kind = DimensionKind::Function;
  std::string label_key;  // for Label

  bool is_of_frames() const { return kind != DimensionKind::Thread && kind != DimensionKind::Label; }
};

// "function", "line", "file", "module", "thread" or "label:KEY".
Result<Dimension> parse_dimension(std::string_view text);
std::string to_string(const Dimension& dimension);

struct Entity {
  std::string name;
  std::string file;
  int64_t line = 0;  // where a function begins, or where nothing says that, the first line that was seen of it
  std::string module;
  std::string kind;      // of the frame: kernel, native, jit …
  std::string build_id;  // of the module
};

enum class EntityId : uint32_t {};

class Attribution {
 public:
  Attribution(const Profile& profile, const Dimension& dimension);

  std::span<const Entity> entities() const { return entities_; }
  const Dimension& dimension() const { return dimension_; }

  // The entities at a frame, innermost first; several where functions were inlined. For dimensions of frames.
  std::span<const EntityId> of_frame(profile::FrameId frame) const { return frame_entities_[frame_lists_[raw(frame)]]; }
  // The entity of a label set, for dimensions of labels.
  EntityId of_labels(profile::LabelSetId labels) const { return label_entities_[raw(labels)]; }

 private:
  enum class ListId : uint32_t {};

  void attribute_frames(const Profile& profile);
  void attribute_labels(const Profile& profile);

  Dimension dimension_;
  std::vector<Entity> entities_;
  std::vector<ListId> frame_lists_;  // by FrameId
  profile::ListTable<EntityId, ListId> frame_entities_;
  std::vector<EntityId> label_entities_;  // by LabelSetId
};

}  // namespace atys::reduce
