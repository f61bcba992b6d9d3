// SPDX-License-Identifier: Apache-2.0
#include "capture/native/look_clock.h"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/difference.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr double kSpread = 0.4;  // of the distance between two looks, around the one asked for

constexpr double kManyCpus = 1 << 20;

uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace

LookClock::LookClock() : random_(now_ns()) {}

Result<> LookClock::start(uint64_t period_ns) {
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer_.is_open()) return fail(ErrorCode::ResourceExhausted, "no timer can be had", "");
  return set_period(period_ns);
}

Result<> LookClock::set_period(uint64_t period_ns) {
  period_ns_ = period_ns;
  next_ns_ = now_ns();
  plan_next();
  return timer_.is_open() ? set_timer(next_ns_) : Result<>();
}

void LookClock::stop() {
  timer_.reset();
  thread_.settle();
}

void LookClock::add_wakeups(std::vector<pollfd>& fds) const {
  if (timer_.is_open()) fds.push_back({timer_.get(), POLLIN, 0});
}

double LookClock::varied() { return 1 - kSpread / 2 + kSpread * random_.uniform(); }

// The next look is not at an even distance from this one: it would fall into step with whatever in the target takes as long.
// It is so far from where this one should have been, that looks are as many as were asked for.
void LookClock::plan_next() {
  const double distance = static_cast<double>(period_ns_) * varied();
  next_ns_ = std::max(next_ns_ + static_cast<uint64_t>(distance), now_ns() + 1);
}

Result<> LookClock::set_timer(uint64_t at_ns) {
  const itimerspec when{.it_interval = {},
                        .it_value = {static_cast<time_t>(at_ns / kSecond), static_cast<long>(at_ns % kSecond)}};
  if (::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0)
    return fail(ErrorCode::InvalidInput, fmt::format("a timer of {} ns cannot be set", period_ns_), "");
  return {};
}

bool LookClock::is_time() {
  const uint64_t waited_ns = own_wait_ns();
  thread_.settle();  // threads that are made here are as free as we were
  uint64_t ticks = 0;
  if (!timer_.is_open() || ::read(timer_.get(), &ticks, sizeof ticks) != sizeof ticks) return false;
  const uint64_t now = now_ns();
  if (now < next_ns_) {
    wait_for_next();
    return false;
  }
  woken_ns_ = now;
  // That the timer itself was late does not matter.
  lateness_.see(std::min(waited_ns, now - next_ns_));
  plan_next();
  return true;
}

void LookClock::repeat() {
  constexpr double kSooner = 5;
  constexpr double kLeastNs = 1'000'000;  // a look is not for nothing
  const double distance = std::max(static_cast<double>(period_ns_) / kSooner, kLeastNs) * varied();
  next_ns_ = std::min(next_ns_, now_ns() + static_cast<uint64_t>(distance));
}

void LookClock::wait_for_next(uint64_t at_most_ns) { sleep_until(std::min(next_ns_, now_ns() + at_most_ns)); }
void LookClock::wait_for_next() { sleep_until(next_ns_); }

void LookClock::sleep_until(uint64_t at_ns) {
  if (roves_) thread_.move(static_cast<uint64_t>(random_.uniform() * kManyCpus));
  (void)set_timer(at_ns);
  own_wait_ns();
  is_overslept_ = now_ns() >= at_ns;
}

// How long we were ready ourselves and did not run, since this was asked the last time.
uint64_t LookClock::own_wait_ns() {
  if (!own_files_)
    if (auto files = linux::ThreadFiles::open(::getpid(), ::gettid()); files.ok()) own_files_.emplace(files.take());
  const auto own = own_files_ ? own_files_->figures() : std::nullopt;
  const uint64_t ready_ns = own ? own->ready_ns : 0;
  return difference_or_zero(ready_ns, std::exchange(own_ready_ns_, ready_ns));
}

}  // namespace atys::capture::native
