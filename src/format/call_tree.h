// SPDX-License-Identifier: Apache-2.0
// Calls as a tree: a node is a frame called from another node. For formats that say so, or that say when frames open and
// close.
#pragma once

#include <cstdint>

#include "profile/hash_index.h"
#include "profile/row_table.h"

namespace atys::format {

enum class CallNodeId : uint32_t {};

inline constexpr CallNodeId kCallTreeRoot{0};  // stands above all frames

struct CallNode {
  CallNodeId parent{};
  uint32_t frame = 0;  // not 0, which is the root's

  bool operator==(const CallNode&) const = default;
};

inline uint64_t hash(const CallNode& node) {
  return profile::hash_mix((uint64_t{profile::raw(node.parent)} << 32 | node.frame) ^ profile::hash_seed(), 1);
}

// A parent always comes before its children.
using CallTree = profile::RowTable<CallNode, CallNodeId>;

}  // namespace atys::format
