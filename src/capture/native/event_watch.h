// SPDX-License-Identifier: Apache-2.0
// The perf events on which the sampler in the kernel counts and samples what is no clock (events.bpf.h). Where the target is
// one or a few processes the events are on their threads, and inherited by those that come: nobody else is looked at. A
// tracepoint calls the program for everybody, and so does an event on each CPU, which it is for services, control groups and
// the host.
#pragma once

#include <vector>

#include "base/unique_fd.h"
#include "linux/bpf_object.h"
#include "linux/event_names.h"

namespace atys::capture::native {

struct EventWatchPlan {
  linux::NamedEvent event;
  bool is_of_threads = false;  // else of each CPU
  bool with_children = false;
  bool waits_for_exec = false;  // the process has been created but begins with its next exec
};

// Whether every single one of them can be looked at: hardware counts too fast, and clocks have timers.
bool can_watch(const linux::NamedEvent& event);

class EventWatch {
 public:
  // `object` is loaded and outlives it.
  static Result<EventWatch> open(linux::BpfObject& object, const EventWatchPlan& plan);

  static const char* program_of(const linux::NamedEvent& event);
  Result<> add_process(pid_t pid);
  Result<> start();
  void stop();

 private:
  EventWatch(linux::BpfObject& object, const EventWatchPlan& plan) : object_(&object), plan_(plan) {}
  linux::PerfAttributes attributes() const;
  bool is_tracepoint() const { return plan_.event.attributes.type == PERF_TYPE_TRACEPOINT; }
  Result<> watch(linux::PerfPlace place);

  linux::BpfObject* object_;
  EventWatchPlan plan_;
  bool is_started_ = false;
  std::vector<UniqueFd> events_;
};

}  // namespace atys::capture::native
