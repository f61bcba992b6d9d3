// SPDX-License-Identifier: Apache-2.0
#include "capture/native/event_watch.h"

#include "linux/host.h"
#include "linux/process.h"

namespace atys::capture::native {

bool can_watch(const linux::NamedEvent& event) { return !event.is_hardware && !event.is_clock; }

const char* EventWatch::program_of(const linux::NamedEvent& event) {
  return event.attributes.type == PERF_TYPE_TRACEPOINT ? "on_tracepoint" : "on_event";
}

// A tracepoint calls the program wherever it is hit, whatever its event looks at: one is enough, made when the recording
// begins, for it cannot be made to wait.
Result<EventWatch> EventWatch::open(linux::BpfObject& object, const EventWatchPlan& plan) {
  EventWatch watch(object, plan);
  if (!watch.is_tracepoint() && !plan.is_of_threads)
    for (const int cpu : linux::online_cpus()) TRY(watch.watch({.pid = -1, .cpu = cpu}));
  return watch;
}

linux::PerfAttributes EventWatch::attributes() const {
  linux::PerfAttributes attributes = plan_.event.attributes;
  attributes.sample_period = 1;
  attributes.disabled = 1;
  if (!plan_.is_of_threads) return attributes;
  attributes.inherit = 1;
  attributes.inherit_thread = plan_.with_children ? 0 : 1;
  attributes.enable_on_exec = plan_.waits_for_exec ? 1 : 0;
  return attributes;
}

Result<> EventWatch::watch(linux::PerfPlace place) {
  UniqueFd event = TRY(linux::open_perf_event(attributes(), place, "the event"));
  TRY(object_->attach_to_perf_event(program_of(plan_.event), event.get()));
  if (!is_started_) TRY(linux::disable_perf_event(event.get()));  // attaching enables it
  events_.push_back(std::move(event));
  return {};
}

Result<> EventWatch::add_process(pid_t pid) {
  if (is_tracepoint() || !plan_.is_of_threads) return {};
  for (const pid_t thread : TRY(linux::list_threads(pid)))
    // A thread may end while we look; the process itself may not.
    if (auto watched = watch({.pid = thread, .cpu = -1}); !watched.ok())
      if (thread == pid || watched.error().code != ErrorCode::NotFound) return watched;
  return {};
}

Result<> EventWatch::start() {
  is_started_ = true;
  if (is_tracepoint()) return watch({.pid = -1, .cpu = linux::online_cpus().front()});
  if (plan_.waits_for_exec && plan_.is_of_threads) return {};
  for (const UniqueFd& event : events_) TRY(linux::enable_perf_event(event.get()));
  return {};
}

void EventWatch::stop() {
  for (const UniqueFd& event : events_) (void)linux::disable_perf_event(event.get());
}

}  // namespace atys::capture::native
