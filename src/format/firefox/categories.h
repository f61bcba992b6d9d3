// SPDX-License-Identifier: Apache-2.0
// What colours the Firefox Profiler's graphs: each frame belongs to a category, told from its kind.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "profile/profile.h"

namespace atys::format::firefox {

struct Category {
  std::string_view name;
  std::string_view colour;  // of the viewer's own list
};

// The viewer takes the first grey one for what has no category.
inline constexpr std::array<Category, 6> kCategories{{
    {"Other", "grey"},
    {"User", "yellow"},
    {"Kernel", "orange"},
    {"JIT", "green"},
    {"Interpreter", "blue"},
    {"GPU", "purple"},
}};

// Position in kCategories.
size_t category_of(const Profile& profile, const profile::Frame& frame);

}  // namespace atys::format::firefox
