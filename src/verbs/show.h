// SPDX-License-Identifier: Apache-2.0
// All that a profile says about itself: header, tables, labels, loss, provenance.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verbs/profiles/profile_info.h"

namespace atys::verbs {

struct ShowRequest {
  std::string profile;
};

struct ShownMapping {
  std::string filename;
  std::string build_id;
  uint64_t start = 0;
  uint64_t limit = 0;
};

struct ShownLabel {
  std::string key;
  size_t values = 0;  // distinct ones
  std::vector<std::string> examples;
};

struct ShowAnswer {
  ProfileInfo profile;
  std::vector<std::pair<std::string, double>> value_types;  // "type/unit", total
  size_t default_value = 0;
  int64_t time_ns = 0;
  std::string period;
  size_t rows = 0, stacks = 0, frames = 0, functions = 0, strings = 0;
  size_t memory_bytes = 0;
  std::vector<ShownMapping> mappings;
  std::vector<ShownLabel> labels;
  std::vector<std::string> comments;
  std::vector<std::pair<std::string, std::string>> provenance;
};

Result<ShowAnswer> show(const ShowRequest& request);

}  // namespace atys::verbs
