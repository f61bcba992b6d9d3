// SPDX-License-Identifier: Apache-2.0
// What the screen of `atys top` shows, and what keys do to it. Knows neither the terminal nor the recording.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/keys.h"
#include "verbs/top.h"

namespace atys::cli {

class TopView {
 public:
  explicit TopView(bool by_total, std::string function) : function_(std::move(function)), by_total_(by_total) {}

  // Takes a key. Those that need a table wait for the first.
  void press(Key key);
  void show(verbs::TopAnswer answer);

  bool has_answer() const { return answer_.has_value(); }
  const verbs::TopAnswer& answer() const { return *answer_; }
  bool wants_to_quit() const { return wants_to_quit_; }
  bool is_paused() const { return is_paused_; }
  // What the next answer should be about.
  const std::string& function() const { return function_; }
  bool by_total() const { return by_total_; }

  struct Drawing {
    std::string text;
    size_t marked = SIZE_MAX;  // the line of the chosen function
  };
  Drawing draw(size_t rows) const;

 private:
  void act(Key key);
  void choose(size_t row);
  void move(Key key);

  std::optional<verbs::TopAnswer> answer_;
  std::vector<Key> waiting_;  // pressed before there was a table
  std::string function_;      // whose callers are shown; empty: the table is
  size_t chosen_ = 0;
  std::optional<reduce::Entity> chosen_function_;  // moves with the selection; none: the first row, whichever that is
  size_t page_ = 10;
  bool by_total_ = false;
  bool is_paused_ = false;
  bool shows_legend_ = false;
  bool wants_to_quit_ = false;
};

}  // namespace atys::cli
