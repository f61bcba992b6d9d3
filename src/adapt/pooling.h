// SPDX-License-Identifier: Apache-2.0
// Windows of one stretch (frequency.h) as one estimate.
//
// A plain merge adds true values up, so a window at a low rate, whose few samples stand for much time each, decides the
// error of the whole. Windows that are samples of one distribution need not be treated so: each counts by how many samples
// it has, and the sum is then scaled to the time that all took together.
#pragma once

#include "profile/profile.h"
#include "reduce/merge.h"

namespace atys::adapt {

class WindowPool {
 public:
  explicit WindowPool(std::string value_type) : value_type_(std::move(value_type)) {}

  // Profiles without the value type, or with none of it, are merged as they are.
  void add(const Profile& window);
  // Totals of the column are those of a plain merge; other columns are summed.
  Profile finish();

 private:
  std::string value_type_;
  reduce::Merger merger_;
  double values_ = 0;
  double first_weight_ = 0;  // samples per unit of value, of the first window that had any
};

}  // namespace atys::adapt
