// SPDX-License-Identifier: Apache-2.0
// Windows that no store takes.
#pragma once

#include "base/result.h"
#include "store/profile_store.h"

namespace atys::store {

// Whether any store could take the window.
Result<> check_window(const Window& window);

}  // namespace atys::store
