// SPDX-License-Identifier: Apache-2.0
// What the samples of a page can be told apart by: processes, threads, and labels that have few values. Each of these is a
// facet; a context is one value of each. Pages keep values by context, so that a reader can choose.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "reduce/flame_tree.h"

namespace atys::format::flame_html {

struct Facet {
  enum class Kind { Process, Thread, Label };

  Kind kind = Kind::Label;
  std::string name;                 // "process", "thread", or the label's key
  std::vector<std::string> values;  // the one worth most first
  size_t folded = 0;                // how many values became the last one
};

class Contexts {
 public:
  // Threads of two recordings are never the same, so two inputs are told apart by names alone.
  explicit Contexts(std::span<const reduce::FlameInput> inputs);

  const std::vector<Facet>& facets() const { return facets_; }
  size_t size() const { return members_.size(); }
  // The value of each facet.
  std::span<const uint32_t> members(uint32_t context) const { return members_[context]; }
  uint32_t of(size_t input, profile::LabelSetId labels) const { return of_set_[input][profile::raw(labels)]; }

  // Tells fewer apart: without the label that has most values; then, half as many threads. False: nothing is left to tell.
  bool simplify();

 private:
  class Values;

  void choose_labels(std::span<const reduce::FlameInput> inputs);
  void take_sets(const reduce::FlameInput& input, std::vector<Values>& values);
  void rank(std::vector<Values>& values);
  void fold(size_t facet, size_t most);
  void drop(size_t facet);
  void unite();

  bool by_name_ = false;
  std::vector<Facet> facets_;
  std::vector<std::vector<uint32_t>> members_;
  std::vector<std::vector<uint32_t>> of_set_;  // by input and LabelSetId
};

}  // namespace atys::format::flame_html
