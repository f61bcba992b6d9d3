// SPDX-License-Identifier: Apache-2.0
#include "symbolize/demangle_swift.h"

namespace atys::symbolize {

std::string demangle_swift(std::string_view) { return {}; }

}  // namespace atys::symbolize
