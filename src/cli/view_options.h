// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <string>
#include <vector>

#include "reduce/common_names.h"
#include "reduce/filter.h"
#include "reduce/form.h"
#include "verbs/profiles/output.h"
#include "verbs/view/view.h"
#include "verbs/view/view_fields.h"

namespace atys::cli {

// Options for fields of a view (verbs/view/view_fields.h).
class FieldFlags {
 public:
  void define(CLI::App& app, const verbs::ViewField& field, const std::vector<reduce::Form>& forms);
  Result<> set(verbs::View& view) const;

 private:
  struct Given {
    const verbs::ViewField* field;
    std::string text;
    std::vector<std::string> texts;  // of a field that may repeat
    bool is_set = false;             // a flag
  };
  std::deque<Given> given_;  // where they are is where CLI11 puts what it reads
};

// Those that say which samples are looked at: --focus, --ignore, --label …
class FilterFlags {
 public:
  void define(CLI::App& app);
  Result<reduce::FilterOptions> parse() const;

 private:
  FieldFlags fields_;
};

// All of them: --form, --by, --top … and those of the filter
class ViewFlags {
 public:
  // The first of the forms is the one that holds where none is said.
  void define(CLI::App& app, const std::vector<reduce::Form>& forms);
  Result<verbs::View> parse() const;

 private:
  FieldFlags fields_;
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
