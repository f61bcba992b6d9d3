// SPDX-License-Identifier: Apache-2.0
#include "capture/native/cpu_timers.h"

#include "base/clock.h"
#include "linux/host.h"
#include "linux/perf_events.h"

namespace atys::capture::native {

Result<CpuTimers> CpuTimers::open(linux::BpfObject& object, uint64_t period_ns) {
  const std::vector<int> cpus = linux::online_cpus();
  CpuTimers timers;
  timers.per_cpu_ = timers_per_cpu(cpus.size());
  timers.factors_ = draw_timer_factors(timers.per_cpu_, clock_ns(CLOCK_MONOTONIC));
  timers.weights_ = TRY(object.variable<Weights>("timer_weights"));
  for (const int cpu : cpus)
    for (size_t number = 0; number < timers.per_cpu_; ++number) {
      const uint64_t period = timers.periods(number, period_ns).period_ns;
      UniqueFd fd = TRY(linux::open_perf_event(linux::cpu_clock_attributes(period), {.pid = -1, .cpu = cpu},
                                               "a timer on CPU " + std::to_string(cpu)));
      TRY(object.attach_to_perf_event("sample", fd.get()));
      TRY(linux::disable_perf_event(fd.get()));  // attaching enables it, and the recording begins later
      timers.timers_.push_back({number, std::move(fd)});
    }
  TRY(timers.set_period(period_ns));
  return timers;
}

TimerPeriods CpuTimers::periods(size_t timer, uint64_t average_ns) const {
  return timer_periods(factors_, per_cpu_, timer, average_ns, linux::tick_ns());
}

Result<> CpuTimers::start() {
  for (const Timer& timer : timers_) TRY(linux::enable_perf_event(timer.fd.get()));
  return {};
}

void CpuTimers::stop() {
  for (const Timer& timer : timers_) (void)linux::disable_perf_event(timer.fd.get());
}

// Timers change one after the other, which takes long where a CPU does not answer at once. Whichever rate a sample was taken
// at meanwhile, it weighs the less: one that stood for two hundred others would be most of what is known.
Result<> CpuTimers::set_period(uint64_t period_ns) {
  Weights weights{};
  for (size_t i = 0; i < per_cpu_; ++i) {
    weights[i] = periods(i, period_ns).weight_ns;
    if ((*weights_)[i] > weights[i]) (*weights_)[i] = weights[i];
  }
  for (const Timer& timer : timers_) TRY(linux::set_perf_period(timer.fd.get(), periods(timer.number, period_ns).period_ns));
  *weights_ = weights;
  return {};
}

}  // namespace atys::capture::native
