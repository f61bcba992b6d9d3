// SPDX-License-Identifier: Apache-2.0
// Profiles from and to readable text, so that a test shows what it means:
//
//   profile_from_text("main;parse 3\n"
//                     "main;run;work {thread=io} 5\n")
//
// A frame may have a kind: "schedule[kernel]".
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace atys::test {

Profile profile_from_text(std::string_view text, std::string_view type = "samples", std::string_view unit = "count");

// One line per distinct stack and labels, sorted; all value columns.
std::string to_text(const Profile& profile);

// One sample, 0x42 bytes into a program without symbols that is loaded at `start`.
Profile loaded_at(uint64_t start);

}  // namespace atys::test
