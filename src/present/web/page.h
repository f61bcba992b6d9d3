// SPDX-License-Identifier: Apache-2.0
// The plain page of a controller; its parts are in page/.
#pragma once

#include <string_view>

namespace atys::present::web {

extern const std::string_view kPage;

// With the view's fields in it, of which it makes its inputs. Lives as long as the program.
std::string_view page();

}  // namespace atys::present::web
