// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/work_pace.h"

#include <algorithm>

namespace atys::fleet {

namespace {

constexpr uint64_t kMostSavedNs = 20'000'000;  // enough to begin with something small at once

}  // namespace

void CpuCredit::update(uint64_t now_ns, uint64_t spent_ns) {
  if (has_begun_) {
    credit_ns_ += share_ * static_cast<double>(now_ns - std::min(now_ns, now_ns_));
    credit_ns_ -= static_cast<double>(spent_ns - std::min(spent_ns, spent_ns_));
    credit_ns_ = std::min(credit_ns_, most_ns_);
  }
  has_begun_ = true;
  now_ns_ = now_ns;
  spent_ns_ = spent_ns;
}

uint64_t CpuCredit::wait_ns() const {
  constexpr double kLongestNs = 1e12;  // as good as for ever, and a number
  if (is_left()) return 0;
  return static_cast<uint64_t>(std::min(kLongestNs, 1 - credit_ns_ / std::max(share_, 1e-6)));
}

WorkPace::WorkPace(double share, Account account) : account_(std::move(account)), credit_(share, kMostSavedNs) {
  credit_.update(account_.now_ns(), account_.spent_ns());
}

uint64_t WorkPace::begun_for_ns() const {
  const std::lock_guard lock(mutex_);
  return begun_for_ns_;
}

uint64_t WorkPace::rest_ns() {
  const std::lock_guard lock(mutex_);
  if (is_ending_) return 0;
  credit_.update(account_.now_ns(), account_.spent_ns());
  return credit_.wait_ns();
}

void WorkPace::end() {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
}

bool WorkPace::is_next(uint64_t number) const {
  return to_name_.empty() ? !to_begin_.empty() && to_begin_.front() == number : to_name_.front() == number;
}

WorkPace::Turn::Turn(WorkPace& pace, Work work, uint64_t patience_ns) : pace_(pace), work_(work) {
  const std::lock_guard lock(pace_.mutex_);
  number_ = pace_.next_number_++;
  until_ns_ = pace_.account_.now_ns() + patience_ns;
  (work_ == Work::Begin ? pace_.to_begin_ : pace_.to_name_).push_back(number_);
}

WorkPace::Turn::~Turn() {
  const std::lock_guard lock(pace_.mutex_);
  std::erase(pace_.to_begin_, number_);
  std::erase(pace_.to_name_, number_);
  if (pace_.at_work_ != number_) return;
  pace_.at_work_.reset();
  if (work_ != Work::Names) pace_.begun_for_ns_ += pace_.account_.spent_ns() - spent_before_ns_;
}

bool WorkPace::Turn::has_come() {
  const std::lock_guard lock(pace_.mutex_);
  if (pace_.at_work_ == number_) return true;
  // Who has work that rests now and then may hold its turn for long: small things go on beside it, if late.
  if (work_ == Work::Names && pace_.account_.now_ns() >= until_ns_) return true;
  if (pace_.at_work_ || !pace_.is_next(number_)) return false;
  const uint64_t now = pace_.account_.now_ns();
  const uint64_t spent = pace_.account_.spent_ns();
  pace_.credit_.update(now, spent);
  if (!pace_.credit_.is_left() && now < until_ns_) return false;
  pace_.at_work_ = number_;
  spent_before_ns_ = spent;
  return true;
}

}  // namespace atys::fleet
