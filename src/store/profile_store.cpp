// SPDX-License-Identifier: Apache-2.0
#include "store/profile_store.h"

namespace atys::store {

const char* to_string(Level level) {
  switch (level) {
    case Level::Windows: return "windows";
    case Level::Minutes: return "minutes";
    case Level::Hours: return "hours";
  }
  return "?";
}

}  // namespace atys::store
