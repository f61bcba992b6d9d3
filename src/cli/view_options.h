// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reduce/common_names.h"
#include "reduce/filter.h"
#include "verbs/output.h"
#include "verbs/view.h"

namespace atys::cli {

// What answers can be grouped by, for completion.
std::vector<std::string> dimensions();

// --focus, --ignore, --label, --from, --to-time
class FilterFlags {
 public:
  void define(CLI::App& app);
  Result<reduce::FilterOptions> parse() const;

 private:
  std::string focus_, ignore_, from_, to_;
  std::vector<std::string> labels_;
};

// --form, --by, --top, --value, --max-tokens and the filter
class ViewFlags {
 public:
  void define(CLI::App& app, const std::vector<std::string>& forms);
  Result<verbs::View> parse() const;

 private:
  FilterFlags filter_;
  verbs::View view_;
  size_t top_ = 0;
  size_t max_tokens_ = 0;
};

// --map, of verbs that compare two sides
class MapFlags {
 public:
  CLI::Option* define(CLI::App& app);
  Result<std::vector<reduce::PathMap>> parse() const;

 private:
  std::vector<std::string> maps_;
};

// -o, --to, --value
class OutputFlags {
 public:
  void define(CLI::App& app, const std::string& without_output);
  verbs::Output parse() const { return output_; }

 private:
  verbs::Output output_;
};

// What a user should know about an output beyond where it is.
std::vector<std::string> notes_on(const verbs::WrittenProfile& written);

}  // namespace atys::cli
