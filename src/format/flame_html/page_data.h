// SPDX-License-Identifier: Apache-2.0
// A profile as the page wants it: JSON with a string table, functions as columns of string numbers, and the nodes of the
// call tree as columns of varints in base64, in preorder:
//   shape     how many levels the node lies above a child of the node before it (0: it is its child); the root is left out
//   function  its function
//   self      one column per value type, zigzag; totals are added up by the page
#pragma once

#include <string>

#include "format/format.h"
#include "profile/profile.h"

namespace atys::format::flame_html {

std::string page_title(const Profile& profile, const WriteOptions& options);
std::string page_data(const Profile& profile, const WriteOptions& options);

}  // namespace atys::format::flame_html
