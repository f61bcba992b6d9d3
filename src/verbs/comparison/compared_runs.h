// SPDX-License-Identifier: Apache-2.0
// The runs of both sides of a comparison, their functions named alike (reduce/common_names.h) before anything is asked of
// them: whatever the form of the answer, it compares the same functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reduce/common_names.h"
#include "reduce/diff.h"
#include "reduce/own_code.h"
#include "verbs/view/view.h"

namespace atys::verbs {

class ComparedRuns {
 public:
  explicit ComparedRuns(std::vector<reduce::PathMap> maps) : names_(std::move(maps)) {}

  // All runs, in any order; then `settle`.
  Result<> add(const std::string& reference, const View& view, reduce::Side side);
  void add(LoadedProfile loaded, reduce::Side side);
  void settle() { names_.settle(); }

  size_t size(reduce::Side side) const { return of(side).size(); }
  size_t memory_bytes() const { return memory_bytes_; }
  // The run as the view wants it, named alike. Each once: it is not kept.
  Result<ViewedProfile> take(size_t run, const View& view, reduce::Side side);

  const reduce::MatchReport& report() const { return names_.report(); }
  // So that neither place of a function makes it a library's.
  void add_other_places(reduce::OwnCode& code) const;
  // What the base calls the functions of rows.
  void add_base_names(std::vector<reduce::DiffRow>& rows) const;
  // A profile that was not compared itself, with the same names.
  Profile renamed(Profile profile, reduce::Side side) const { return names_.renamed(std::move(profile), side); }

 private:
  struct Run {
    std::string reference;
    std::optional<LoadedProfile> loaded;  // none: to be read again
  };

  std::vector<Run>& of(reduce::Side side) { return side == reduce::Side::Base ? base_ : fresh_; }
  const std::vector<Run>& of(reduce::Side side) const { return side == reduce::Side::Base ? base_ : fresh_; }

  reduce::CommonNames names_;
  std::vector<Run> base_, fresh_;
  size_t memory_bytes_ = 0;
};

}  // namespace atys::verbs
