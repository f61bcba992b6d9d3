// SPDX-License-Identifier: Apache-2.0
// What a page that compares two profiles says of both: names, how many samples stand behind each value type, and which
// functions changed by more than chance explains.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/json.h"
#include "format/format.h"
#include "reduce/flame_tree.h"

namespace atys::format::flame_html {

// Which column of `base` holds what each column of `profile` does.
std::vector<std::optional<size_t>> matching_columns(const Profile& profile, const Profile& base);

// `inputs`: the profile and its base. `columns`: matching_columns().
void write_comparison(std::span<const reduce::FlameInput> inputs, const std::vector<std::optional<size_t>>& columns,
                      const reduce::FlameTree& tree, const Comparison& comparison, JsonWriter& json);

}  // namespace atys::format::flame_html
