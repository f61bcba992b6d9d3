// SPDX-License-Identifier: Apache-2.0
// The tables that all threads of a Firefox profile share: strings, sources, functions, frames, and stacks as a tree. Columns
// refer to positions in other tables; made as the samples ask for stacks, so that nothing unused is in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "format/call_tree.h"
#include "format/firefox/lib_table.h"
#include "profile/profile.h"

namespace atys::format::firefox {

struct FuncRow {
  profile::StringId name{};
  profile::StringId file{};
  int64_t lib = kNone;
  int64_t start_line = 0;

  bool operator==(const FuncRow&) const = default;
};

// An inlined function has a frame of its own, at the address of the one that it was inlined into.
struct FrameRow {
  int64_t address = kNone;  // from the start of the file
  int64_t lib = kNone;
  int64_t line = 0;
  int64_t column = 0;
  uint32_t func = 0;
  uint32_t inline_depth = 0;
  size_t category = 0;

  bool operator==(const FrameRow&) const = default;
};

uint64_t hash(const FuncRow& row);
uint64_t hash(const FrameRow& row);

class CodeTables {
 public:
  explicit CodeTables(const Profile& profile)
      : profile_(profile), frames_of_(profile.frames.size()), node_of_(profile.stacks.size(), kNotAsked) {}

  // Position of the stack in the stack table, or kNone for the empty stack.
  int64_t stack(profile::StackId stack);

  bool has_unresolved_frames() const { return has_unresolved_frames_; }

  void write_libs(JsonWriter& json) const { libs_.write(json); }
  void write_shared(JsonWriter& json);

 private:
  enum class FuncId : uint32_t {};
  enum class FrameRowId : uint32_t {};
  static constexpr int64_t kNotAsked = -2;

  // Ids in the frame table, outermost first.
  const std::vector<uint32_t>& frames_of(profile::FrameId id);
  uint32_t add_frame(FrameRow row, std::string_view name, std::string_view file, int64_t start_line);

  void write_stacks(JsonWriter& json) const;
  void write_frames(JsonWriter& json) const;
  void write_funcs(JsonWriter& json) const;
  void write_resources(JsonWriter& json);
  void write_sources(JsonWriter& json) const;
  void write_strings(JsonWriter& json) const;

  const Profile& profile_;
  LibTable libs_;
  profile::StringTable strings_;
  std::vector<profile::StringId> sources_;
  std::vector<int64_t> source_of_;  // per string, kNone for those that are no file
  // Row 0 of these is the empty row, which is not written: positions are ids less one.
  profile::RowTable<FuncRow, FuncId> funcs_;
  profile::RowTable<FrameRow, FrameRowId> frames_;
  CallTree stacks_;
  std::vector<std::vector<uint32_t>> frames_of_;
  std::vector<int64_t> node_of_;
  bool has_unresolved_frames_ = false;
};

}  // namespace atys::format::firefox
