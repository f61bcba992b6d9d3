// SPDX-License-Identifier: Apache-2.0
// Carries rows from one profile into another: translates ids, interning by content, each source row once. Merge, filter,
// diff and equality are all built on it.
#pragma once

#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace atys::profile {

class Importer {
 public:
  // Both profiles outlive the importer; `from` does not change meanwhile.
  // With `relative`, mappings are carried over as if they began at 0 and nothing in them was resolved, and frames as
  // offsets into them: what is left is what two runs of one program have in common.
  Importer(const Profile& from, Profile& into, bool relative = false);

  StringId string(StringId id);
  ValueType value_type(ValueType type) { return {string(type.type), string(type.unit)}; }
  MappingId mapping(MappingId id);
  FunctionId function(FunctionId id);
  FrameId frame(FrameId id);
  StackId stack(StackId id);
  LabelId label(LabelId id);
  LabelSetId labels(LabelSetId id);

  // Carry something over as something else; before it or anything that holds it is asked for.
  void rename(FunctionId id, std::string_view name);
  // With another place, too: where it begins elsewhere, so do all of its lines.
  void replace(FunctionId id, std::string_view name, std::string_view filename, int64_t start_line);
  void rename(MappingId id, std::string_view filename);
  // Frames of the mapping that have no function get one of this name.
  void name_unresolved(MappingId id, std::string_view name);

  // Everything that is not a sample: header, loss, provenance, overhead, value types. For a copy with other samples.
  void copy_header();
  // All samples, after the header.
  void copy_samples();

 private:
  LineListId line_list(LineListId id);
  int64_t moved_by(FunctionId id) const { return moved_by_.empty() ? 0 : moved_by_[raw(id)]; }

  const Profile* from_;
  Profile* into_;
  bool relative_;
  // Position in the source table → id + 1 in the other; 0: not yet carried over.
  std::vector<uint32_t> strings_, mappings_, functions_, line_lists_, frames_, stacks_, labels_, label_sets_;
  std::vector<int64_t> moved_by_;              // by function: how much further down its lines are; empty: none is
  std::vector<StringId> names_of_unresolved_;  // by mapping: of its frames without a function; empty: none
  std::vector<FrameId> stack_scratch_;
  std::vector<Line> line_scratch_;
};

}  // namespace atys::profile
