// SPDX-License-Identifier: Apache-2.0
// Names that were shortened for one answer still tell their functions apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace atys::verbs {

struct ShortName {
  std::string* shown = nullptr;
  std::string whole;
};

// Where equal names stand for different functions, each gets the part in which its whole name differs from the others:
// "call […{lambda}:22…]". No name becomes longer than `most_bytes`.
void keep_apart(std::vector<ShortName>& names, size_t most_bytes);

}  // namespace atys::verbs
