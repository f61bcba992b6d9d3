// SPDX-License-Identifier: Apache-2.0
#include "capture/native/stop_way.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <span>

#include "base/clock.h"
#include "base/difference.h"
#include "capture/preload/shared_space.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kPatienceNs = 500'000;  // a thread that runs stops at once, and one that does not is not wanted

}  // namespace

StopWay::Outcome StopWay::take(LookedProcess& process, LookedThread& thread, uint64_t period_ns, uint32_t stack_bytes,
                               RawSample& sample) {
  if (!process.may_stop) return Outcome::Nothing;
  if (!may_be_stopped(sample.pid, process)) return Outcome::Refused;
  if (!stopper_) stopper_.emplace(linux::StopOptions{.patience_ns = kPatienceNs});
  stack_.resize(stack_bytes);
  bool is_good = false;
  const uint64_t ready_before_ns = thread.delay_ns;
  const auto result = stopper_->stop_shortly(sample.pid, sample.tid, [&](const linux::StoppedThread& stopped) {
    is_good = read(stopped, process, thread, period_ns, sample);
  });
  // That it waited for a CPU before it could stop is not our doing; one that still does is counted when it has stopped.
  if (result.outcome != linux::StopOutcome::Busy)
    stopped_ns_ +=
        difference_or_zero(clock_ns(CLOCK_MONOTONIC) - sample.time_ns, difference_or_zero(thread.delay_ns, ready_before_ns));
  if (result.outcome == linux::StopOutcome::Refused) {
    process.may_stop = false;
    return Outcome::Refused;
  }
  return is_good ? Outcome::Sampled : Outcome::Nothing;
}

bool StopWay::take_late(const Find& find, uint64_t period_ns, RawSample& sample, Outcome& outcome) {
  if (!stopper_) return false;
  outcome = Outcome::Nothing;
  const uint64_t paused_before_ns = stopper_->figures().paused_ns;
  const bool stood = stopper_->look_at_late([&](const linux::StoppedThread& stopped) {
    const Looked looked = find(stopped.pid, stopped.tid);
    sample = {.time_ns = clock_ns(CLOCK_MONOTONIC), .pid = stopped.pid, .tid = stopped.tid};
    if (looked.thread != nullptr && read(stopped, *looked.process, *looked.thread, period_ns, sample))
      outcome = Outcome::Sampled;
  });
  stopped_ns_ += stopper_->figures().paused_ns - paused_before_ns;
  return stood;
}

// A sanitizer looks for leaks at the end by stopping its own threads, and fails where somebody else does at that moment.
bool StopWay::may_be_stopped(pid_t pid, LookedProcess& process) {
  struct stat program {};
  const std::string path = fmt::format("/proc/{}/exe", pid);
  if (process.life != 0 || ::stat(path.c_str(), &program) != 0 || process.program == program.st_ino) return true;
  process.program = program.st_ino;
  process.may_stop = preload::judge_command(path) != preload::Preload::HasToBeFirst;
  return process.may_stop;
}

// While it stands. Who waited for a CPU when we looked has come to one since, see was_on_cpu().
bool StopWay::read(const linux::StoppedThread& stopped, LookedProcess& process, LookedThread& thread, uint64_t period_ns,
                   RawSample& sample) {
  const auto time = thread.files->figures();
  if (!time) return false;
  const bool is_ours = made_room_for_us(thread, *time, clock_ns(CLOCK_MONOTONIC));
  thread.delay_ns = time->ready_ns;
  if (time->turns != thread.arrivals && !is_ours && !is_overdue(thread, period_ns)) return false;
  thread.ran_ns = std::max(thread.ran_ns, time->ran_ns);
  sample.registers = stopped.registers;
  sample.has_copy = true;
  linux::ProcessMemory memory(sample.pid);
  sample.stack_copy = std::span(stack_).first(memory.read(stopped.registers.sp, stack_));
  if (!process.has_walker || thread.state == 0) return true;
  const RemoteWalk outcome = thread.walker.walk(memory, process.walker, thread.state, frames_);
  sample.walked = frames_;
  sample.walk_flags = static_cast<uint16_t>(ATYS_WALKED | (outcome == RemoteWalk::Cut ? ATYS_WALK_CUT : 0));
  return true;
}

void StopWay::pass_on_events() {
  if (stopper_) stopper_->pass_on_events();
}

void StopWay::release() {
  if (stopper_) (void)stopper_->release();
}

void StopWay::add_figures(SourceTotals& totals) const {
  if (!stopper_) return;
  const linux::StopFigures& stops = stopper_->figures();
  totals.kernel_ns += stopped_ns_;
  totals.figures["stops"] = stops.stops;
  totals.figures["paused-ns"] = stops.paused_ns;
  totals.figures["longest-pause-ns"] = stops.longest_ns;
}

}  // namespace atys::capture::native
