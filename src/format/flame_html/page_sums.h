// SPDX-License-Identifier: Apache-2.0
// What every function is worth in all, for pages whose trees do not say: where small frames were folded into "(other)", a
// function that is called from everywhere may have most of its value there.
#pragma once

#include <span>

#include "base/json.h"
#include "reduce/flame_tree.h"

namespace atys::format::flame_html {

// Self and total by function, of each input; nothing where the tree is whole.
void write_sums(const reduce::FlameTree& tree, std::span<const reduce::FlameInput> inputs, JsonWriter& json);

}  // namespace atys::format::flame_html
