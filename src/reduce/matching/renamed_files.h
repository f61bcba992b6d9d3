// SPDX-License-Identifier: Apache-2.0
// Files that have another name on the other side: told by the functions in them. Rule 5 of file_matching.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reduce/matching/code_path.h"
#include "reduce/matching/file_matching.h"

namespace atys::reduce::matching {

struct LeftFile {
  uint32_t id = 0;
  const CodeFile* file = nullptr;
  const CodePath* path = nullptr;
};

// Ids of the base's and of the other's.
std::vector<std::pair<uint32_t, uint32_t>> renamed_files(const std::vector<LeftFile>& base,
                                                         const std::vector<LeftFile>& fresh);

// Whether two files have half of the functions of the smaller in common.
bool share_half(const std::vector<std::string>& a, const std::vector<std::string>& b);

// "parser.py" and "_parser.pyx", "app.3f2a1b9c.js" and "app.77aa01de.js": of one language, and one name in the other.
bool has_similar_name(std::string_view a, std::string_view b);

}  // namespace atys::reduce::matching
