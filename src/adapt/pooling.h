// SPDX-License-Identifier: Apache-2.0
// Windows of an adaptive rate as one estimate.
//
// A plain merge adds true values up, so a window at a low rate, whose few samples stand for much time each, decides the
// error of the whole. Windows of one stretch (frequency.h) are samples of one distribution and need not be treated so: each
// counts by how many samples it has, and the sum is then scaled to the time that all took together. A window between two
// stretches is told by a mixture of both, where that fits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profile/profile.h"
#include "reduce/merge.h"

namespace atys::adapt {

class WindowPool {
 public:
  explicit WindowPool(std::string value_type) : value_type_(std::move(value_type)) {}

  // Windows of one stream (a service on a node), in any order. Profiles without the value type, or with none of it, are
  // merged as they are. `windows`: of how many, all at one rate, the profile is the sum.
  void add(const Profile& window, uint64_t stretch = 0, size_t windows = 1);
  // The total of the column is that of a plain merge; other columns are summed.
  Profile finish();

 private:
  struct Stretch {
    Profile pooled;  // weighted: a sample is a sample, at whatever rate
    double value = 0;
    double first_weight = 0;  // samples per unit of value, of the first window
    size_t windows = 0;
  };
  void settle(Stretch& stretch) const;
  void add_told_by_neighbours(const Stretch& before, const Stretch& window, const Stretch& after,
                              reduce::Merger& merger) const;

  std::string value_type_;
  std::map<uint64_t, Stretch> stretches_;
  reduce::Merger rest_;
};

}  // namespace atys::adapt
