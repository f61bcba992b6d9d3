// SPDX-License-Identifier: Apache-2.0
// Windows of an adaptive rate as one estimate.
//
// A plain merge adds true values up, so a window at a low rate, whose few samples stand for much time each, decides the
// error of the whole. Windows of one stretch (frequency.h) are samples of one distribution and need not be treated so: each
// counts by how many samples it has, and the sum is then scaled to the time that is asked for. Windows of the stretch from
// before and after that time tell as much of it. The window between two stretches is told by both, where that fits: the
// pieces of it that are known to be of one side by that one, the rest by a mixture.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "adapt/shares.h"
#include "profile/profile.h"
#include "reduce/merge.h"

namespace atys::adapt {

// Where windows belong in their stream (a service on a node).
struct Place {
  uint64_t stretch = 0;      // numbered as stretch.h says
  bool is_asked_for = true;  // else they tell what their stretch is like, and take no time themselves
  // The last of its stretch, which has others: what comes next may have begun in it, too late to be noticed there.
  bool is_newest = false;
  int64_t window_ns = 0;  // of the newest, and of one that shows a change: when it began
  int64_t began_ns = 0;   // when what came with the change began, if that may have been in the newest; 0: not known
};

class WindowPool {
 public:
  explicit WindowPool(std::string value_type) : value_type_(std::move(value_type)) {}

  // One window or the sum of several at one rate; in any order. Profiles without the value type, or with none of it, are
  // merged as they are.
  void add(const Profile& windows, Place place = {});
  // The total of the column is that of a plain merge of what was asked for; other columns are summed, also of what tells
  // besides: they say what the answer rests on.
  Profile finish();

 private:
  struct Pool {
    Profile pooled;           // weighted: a sample is a sample, at whatever rate
    double value = 0;         // of what was asked for
    double samples = 0;       // effective ones, of all
    double first_weight = 0;  // samples per unit of value, of the first window
    bool is_empty() const { return samples <= 0; }
  };
  struct Stretch {
    Pool windows;
    Pool newest;
    Place last;  // that windows were added in
  };
  using Stretches = std::map<uint64_t, Stretch>;
  Shares shares(const Pool& pool) const;
  static bool can_tell(const Pool& known, const Pool& window);

  void add(Pool& pool, const Profile& windows, size_t column, bool is_asked_for) const;
  void settle(Pool& pool) const;
  const Pool* known(uint64_t stretch, const Pool& window) const;
  void place_newest(uint64_t number, Stretch& stretch);
  bool tell_by_one(const Pool* side, const Pool& window);
  bool tell_by_both(uint64_t stretch, const Pool& window);
  bool tell_beginning(uint64_t number, const Stretch& stretch);
  void tell(const Pool& before, const Pool& window, const Pool& after, double part_before);
  const Place* change_after(uint64_t stretch) const;
  bool tell_by_neighbours(uint64_t stretch, const Pool& window);
  void take_shape(const Pool& side, double value);
  void keep_circumstances(const Pool& window);

  std::string value_type_;
  Stretches stretches_;
  reduce::Merger rest_;
};

}  // namespace atys::adapt
