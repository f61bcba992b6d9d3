// SPDX-License-Identifier: Apache-2.0
// The call tree of a page as columns of varints: see page_data.h for what each holds.
#pragma once

#include "base/json.h"
#include "format/flame_html/page_strings.h"
#include "reduce/flame_lines.h"

namespace atys::format::flame_html {

void write_functions(const reduce::FlameTree& tree, PageStrings& strings, JsonWriter& json);
void write_nodes(const reduce::FlameTree& tree, JsonWriter& json);
void write_places(const reduce::FlameTree& tree, const reduce::FlameLines& lines, JsonWriter& json);

}  // namespace atys::format::flame_html
