// SPDX-License-Identifier: Apache-2.0
// Windows since the last change are one sample of one distribution: together they know as much as one window at a high rate.
// So a change is paid for once, with a window at a high rate, and as long as nothing changes the lowest rate is enough: to
// notice the next change, not to measure anew what is known.
#include <algorithm>
#include <deque>
#include <iterator>

#include "adapt/divergence.h"
#include "adapt/frequency.h"
#include "adapt/stretch.h"

namespace atys::adapt {

namespace {

constexpr double kAlarm = 0.001;  // false alarms per window, whatever the number of comparisons
constexpr double kSamplesToNoticeBy = 50;
constexpr double kMostToNotice = 0.1;  // of the highest rate
constexpr size_t kPerSize = 2;         // buckets of one size, before two become one

// What is known of the time since the last change: buckets of 1, 1, 2, 2, 4, 4 … windows, the newest being the smallest. Any
// border between two may be where something changed (Bifet and Gavaldà's adaptive window), so a slow drift, which no single
// window shows, is seen as well, at the cost of a logarithm.
class Stretch {
 public:
  void add(const Shares& window) {
    buckets_.push_back({window, 1});
    adapt::add(sum_, window);
    join();
  }

  struct Border {
    size_t at = 0;           // the first bucket after it; 0: there is none
    bool is_newest = false;  // only the newest window is after it
    Divergence divergence;
  };

  // The border that is least likely to be noise, of those that matter.
  Border find_change(const FrequencyPlan& plan) const {
    Border found;
    double least = kAlarm / static_cast<double>(std::max<size_t>(1, buckets_.size() - 1));
    Shares newer;
    Shares older = sum_;
    for (size_t i = buckets_.size() - 1; i > 0; --i) {
      adapt::add(newer, buckets_[i].shares);
      older = difference(older, buckets_[i].shares);
      const Divergence divergence = compare(older, newer, plan.top);
      if (divergence.excess() > plan.threshold && divergence.p_value() < least) {
        least = divergence.p_value();
        found = {i, i + 1 == buckets_.size(), divergence};
      }
    }
    return found;
  }

  Divergence of_newest(size_t top) const {
    if (buckets_.size() < 2) return {};
    return compare(without_newest(), buckets_.back().shares, top);
  }

  Shares without_newest() const { return difference(sum_, buckets_.back().shares); }

  void forget_before(size_t bucket) {
    buckets_.erase(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(bucket));
    sum_ = {};
    for (const Bucket& kept : buckets_) adapt::add(sum_, kept.shares);
  }

  double samples() const { return sum_.total; }

 private:
  struct Bucket {
    Shares shares;
    size_t windows = 0;
  };

  // Sums keep the largest functions apart only, so that a function may be part of `other` there and not in a bucket.
  static Shares difference(Shares from, const Shares& part) {
    for (const auto& [function, samples] : part.samples) {
      const auto found = from.samples.find(function);
      double& rest = found == from.samples.end() ? from.other : found->second;
      rest = std::max(0.0, rest - samples);
    }
    for (const auto& [function, samples] : part.within)
      if (const auto found = from.within.find(function); found != from.within.end())
        found->second = std::max(0.0, found->second - samples);
    from.other = std::max(0.0, from.other - part.other);
    from.total = std::max(0.0, from.total - part.total);
    return from;
  }

  void join() {
    for (size_t size = 1;; size *= 2) {
      const auto of_size = [size](const Bucket& bucket) { return bucket.windows == size; };
      if (static_cast<size_t>(std::count_if(buckets_.begin(), buckets_.end(), of_size)) <= kPerSize) return;
      const auto oldest = std::find_if(buckets_.begin(), buckets_.end(), of_size);
      const auto second = std::next(oldest);
      adapt::add(second->shares, oldest->shares);
      second->windows += oldest->windows;
      buckets_.erase(oldest);
    }
  }

  std::deque<Bucket> buckets_;  // oldest first
  Shares sum_;
};

class Pooled : public FrequencyPolicy {
 public:
  explicit Pooled(const FrequencyPlan& plan) : plan_(plan) {}

  double first_hz() const override { return std::clamp(plan_.goal * plan_.max_hz, plan_.min_hz, plan_.max_hz); }

  NextWindow next(const Shares& window, double hz) override {
    NextWindow answer{.hz = last_hz_ > 0 ? last_hz_ : first_hz(), .stretch = stretch_number_};
    if (window.total <= 0 || hz <= 0) return answer;  // an idle service says nothing
    stretch_.add(window);
    answer.divergence = stretch_.of_newest(plan_.top).excess();
    if (const Stretch::Border border = stretch_.find_change(plan_); border.at > 0) {
      answer.changed = true;
      answer.divergence = border.divergence.excess();
      // The window that shows a change may be of both sides; where a drift has been going on, what came after the border is
      // not.
      if (border.is_newest) {
        answer.stretch = with_role(stretch_number_, Role::Mixed);
        answer.before = stretch_.without_newest();
        stretch_ = {};
      } else {
        stretch_.forget_before(border.at);
      }
      stretch_number_ = next_stretch(stretch_number_);
      if (!border.is_newest) answer.stretch = stretch_number_;
    }
    answer.hz = last_hz_ = rate_for_what_is_missing(window, hz);
    return answer;
  }

 private:
  double rate_for_what_is_missing(const Shares& window, double hz) const {
    const double in_a_window = window.total / hz * plan_.max_hz;  // at the highest rate
    const double missing = plan_.goal * in_a_window - stretch_.samples();
    // A window with fewer samples would not show a change; a service that does little may stay at the lowest rate all the
    // same.
    const double to_notice = std::min(kSamplesToNoticeBy / in_a_window, kMostToNotice) * plan_.max_hz;
    return std::clamp(std::max(plan_.max_hz * missing / in_a_window, to_notice), plan_.min_hz, plan_.max_hz);
  }

  FrequencyPlan plan_;
  Stretch stretch_;
  uint64_t stretch_number_ = 0;
  double last_hz_ = 0;
};

}  // namespace

std::unique_ptr<FrequencyPolicy> pooled_frequency(const FrequencyPlan& plan) { return std::make_unique<Pooled>(plan); }

}  // namespace atys::adapt
