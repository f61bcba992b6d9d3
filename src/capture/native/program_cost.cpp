// SPDX-License-Identifier: Apache-2.0
#include "capture/native/program_cost.h"

#include "base/clock.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kCountNs = 15'000'000;
constexpr uint64_t kPauseNs = 400'000'000;

UniqueFd begin_counting() {
  auto statistics = linux::enable_bpf_statistics();
  return statistics.ok() ? statistics.take() : UniqueFd();
}

}  // namespace

void ProgramCost::measure(const linux::BpfObject& object) {
  if (!runs_often_) {
    if (!statistics_.is_open()) statistics_ = begin_counting();
    return;
  }
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const uint64_t run_time = object.run_time_ns();
  if (statistics_.is_open() && now - since_ns_ >= kCountNs) {
    const double per_ns = static_cast<double>(run_time - run_time_before_) / static_cast<double>(now - since_ns_);
    estimated_ns_ += static_cast<uint64_t>(per_ns * static_cast<double>(now - known_until_ns_));
    known_until_ns_ = now;
    statistics_.reset();
    since_ns_ = now;
  } else if (!statistics_.is_open() && now - since_ns_ >= kPauseNs) {
    if (known_until_ns_ == 0) known_until_ns_ = now;
    statistics_ = begin_counting();
    run_time_before_ = run_time;
    since_ns_ = now;
  }
}

}  // namespace atys::capture::native
