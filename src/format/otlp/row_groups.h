// SPDX-License-Identifier: Apache-2.0
// Sorts the rows of a profile into groups that can each become OTLP profiles: rows of one resource, one instrumentation
// scope, one set of profile labels, and one shape (with a time or without). Rows with times are also parted by the columns
// in which they have a value: on-CPU and off-CPU samples, say, have no column in common.
#pragma once

#include <span>
#include <vector>

#include "profile/profile.h"

namespace atys::format::otlp {

// The members of a label set by their scope.
struct LabelParts {
  std::span<const profile::LabelId> sample, profile, instrumentation, resource;
};

LabelParts parts_of(const Profile& profile, profile::LabelSetId set);

struct RowGroup {
  LabelParts labels;    // of which `sample` means nothing here
  size_t resource = 0;  // equal numbers: equal labels
  size_t instrumentation = 0;
  bool has_times = false;
  std::vector<size_t> columns;
  std::vector<size_t> rows;
};

// At least one group, and each column in at least one; of a profile without samples it has the labels that the header has
// for its resource and its scope. Without `by_columns` every group has all columns.
std::vector<RowGroup> group_rows(const Profile& profile, bool by_columns);

}  // namespace atys::format::otlp
