// SPDX-License-Identifier: Apache-2.0
// Which value column each OTLP profile of a message is. Scopes may say so (`pprof.scope.sample_type_order`); where they do
// not, or contradict each other, profiles of one type and unit are one column.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

struct Columns {
  std::vector<std::pair<std::string_view, std::string_view>> types;  // type and unit, in the dictionary's strings
  // For each scope of the message, in order, the column of each of its profiles; kNoColumn if it is not one.
  std::vector<std::vector<size_t>> of_scopes;
};

inline constexpr size_t kNoColumn = static_cast<size_t>(-1);
inline constexpr size_t kMaxColumns = 1024;

Result<Columns> find_columns(const message::ProfilesData& data);

}  // namespace atys::format::otlp
