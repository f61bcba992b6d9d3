// SPDX-License-Identifier: Apache-2.0
// Stacks as interned lists of frames, leaf first. A list costs four bytes a frame and one look-up a stack, against one
// look-up a frame for a prefix tree: docs/decisions/0002 has the measurements.
#pragma once

#include "profile/ids.h"
#include "profile/list_table.h"

namespace atys::profile {

using StackTable = ListTable<FrameId, StackId>;

}  // namespace atys::profile
