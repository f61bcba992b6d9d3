// SPDX-License-Identifier: Apache-2.0
// Where a verb puts the profile that it made: a file, standard output, or the library.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "format/format.h"
#include "profile/profile.h"

namespace atys::verbs {

struct Output {
  std::string path;    // "-": standard output; empty: the library
  std::string format;  // empty: by the extension of `path`
  std::string value;   // for formats that carry one value type
  std::string title;
  bool inverted = false;               // flame graphs
  format::Comparison comparison = {};  // flame graphs; needs a format that can compare
};

struct WrittenProfile {
  std::string id;  // in the library; else empty
  std::string path;
  std::string format;
  double samples = 0;
  bool is_count_known = true;         // whether `samples` is
  std::vector<std::string> left_out;  // what the format cannot carry and the profile has
};

// Which format an output is to be written in; fails before any work is done if there is none.
Result<const format::Format*> choose_format(const Output& output);

Result<WrittenProfile> write_output(const Profile& profile, const Output& output);

}  // namespace atys::verbs
