// SPDX-License-Identifier: Apache-2.0
// A profile in the library of ATYS_HOME, for tests of layers that do not know the store.
#pragma once

#include <string>
#include <string_view>

#include "store/library.h"
#include "support/profile_text.h"

namespace atys::test {

// Its id. `stack` as profile_from_text takes it.
inline std::string keep_profile(std::string_view stack, std::string_view target) {
  Profile profile = profile_from_text(stack);
  profile.add_fact("target", target);
  return store::Library::open_default().keep(profile)->id;
}

}  // namespace atys::test
