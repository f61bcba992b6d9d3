// SPDX-License-Identifier: Apache-2.0
// A table that goes on: on a terminal drawn over the one before, elsewhere printed again when it says something else, and a
// line now and then when it does not. Pure: what to write comes back.
#pragma once

#include <cstdint>
#include <string>

#include "verbs/up.h"

namespace atys::present::text {

struct WatchedScreen {
  size_t rows = 0;  // 0: it is no terminal
  size_t columns = 0;
};

class UpWatch {
 public:
  explicit UpWatch(bool as_json) : as_json_(as_json) {}

  // `time`: of the day, as people read it. Empty: there is nothing to say.
  std::string next(const verbs::UpAnswer& answer, const WatchedScreen& screen, uint64_t now_ns, const std::string& time);

 private:
  std::string draw(const std::string& text, const WatchedScreen& screen);

  bool as_json_;
  size_t drawn_lines_ = 0;
  std::string told_;  // what the last printed table was about
  uint64_t told_ns_ = 0;
};

}  // namespace atys::present::text
