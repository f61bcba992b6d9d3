// SPDX-License-Identifier: Apache-2.0
// Windows of an adaptive rate as one estimate.
//
// A plain merge adds true values up, so a window at a low rate, whose few samples stand for much time each, decides the
// error of the whole. Windows of one stretch (frequency.h) are samples of one distribution and need not be treated so: each
// counts by how many samples it has, and the sum is then scaled to the time that is asked for. Windows of the stretch from
// before and after that time tell as much of it. A window between two stretches is told by a mixture of both, where that
// fits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profile/profile.h"
#include "reduce/merge.h"

namespace atys::adapt {

// Where windows belong in their stream (a service on a node).
struct Place {
  uint64_t stretch = 0;
  bool is_asked_for = true;  // else they tell what their stretch is like, and take no time themselves
  bool is_alone = false;     // no other windows are of the stretch
  // The last of its stretch, which has others: what comes next may have begun in it, too late to be noticed there.
  bool is_newest = false;
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
    bool is_alone = false;
  };
  using Stretches = std::map<uint64_t, Stretch>;
  static bool can_tell(const Pool& known, const Pool& window);

  void add(Pool& pool, const Profile& windows, size_t column, bool is_asked_for) const;
  void settle(Pool& pool) const;
  void place_newest(Stretches::iterator at);
  bool tell_by_neighbours(const Pool& before, const Pool& window, const Pool& after, bool must_be_mixed);

  std::string value_type_;
  Stretches stretches_;
  reduce::Merger rest_;
};

}  // namespace atys::adapt
