// SPDX-License-Identifier: Apache-2.0
#include "capture/native/still_thread.h"

#include "base/clock.h"
#include "capture/native/call_reason.h"
#include "capture/native/wait_reason.h"
#include "linux/memory_reader.h"
#include "linux/process.h"
#include "linux/system_calls.h"

namespace atys::capture::native {

namespace {

constexpr size_t kMostStack = size_t{64} << 10;
constexpr uint64_t kNameHoldsNs = 1'000'000'000;
constexpr std::string_view kOther = "other";

// The stack of a program of 32 bits is in the first 4 GiB; its calls have other numbers, and its frames are not ours to
// follow.
bool is_of_64_bits(const linux::ThreadActivity& activity) { return activity.sp >> 32 != 0; }

}  // namespace

Result<StillThread> StillThread::open(pid_t pid, pid_t tid) {
  StillThread thread(TRY(linux::ThreadFiles::open(pid, tid)));
  thread.learn_name(clock_ns(CLOCK_MONOTONIC));
  return thread;
}

// Threads get their names soon after they began.
void StillThread::learn_name(uint64_t now_ns) {
  if (named_ns_ != 0 && now_ns - named_ns_ < kNameHoldsNs) return;
  named_ns_ = now_ns;
  if (auto name = linux::thread_name(files_.pid(), files_.tid()); name.ok()) comm_ = name.take();
}

StillThread::Look StillThread::look(RawSample& sample, std::vector<std::byte>& stack) {
  const auto figures = files_.figures();
  if (!figures) return Look::Ended;
  if (has_sample_ && figures->are_kept() && *figures == figures_) return Look::Same;
  figures_ = *figures;
  has_sample_ = false;
  const auto activity = files_.activity();
  if (!activity) return Look::Ended;
  return activity->is_running ? Look::Runs : take(*activity, sample, stack);
}

StillThread::Look StillThread::take(const linux::ThreadActivity& activity, RawSample& sample,
                                    std::vector<std::byte>& stack) {
  const std::string_view reason = reason_of(activity);
  if (reason.empty()) return Look::Ended;
  const bool has_place = is_of_64_bits(activity);
  stack.resize(has_place ? kMostStack : 0);
  stack.resize(linux::ProcessMemory(files_.pid()).read(activity.sp, stack));
  if (!has_stood_still(activity)) return Look::Moved;
  has_sample_ = true;
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  learn_name(now_ns);
  sample = {.time_ns = now_ns, .pid = files_.pid(), .tid = files_.tid(), .comm = comm_};
  sample.stands_still = true;
  sample.note.wait = reason;
  if (stack.empty()) return Look::Waits;
  sample.registers = {.pc = activity.pc, .sp = activity.sp};
  sample.registers.has_others = false;
  sample.stack_copy = stack;
  sample.has_copy = true;
  return Look::Waits;
}

// Its stack is what it was when its place was read, and so is what it waits for.
bool StillThread::has_stood_still(const linux::ThreadActivity& activity) {
  if (figures_.are_kept()) return files_.figures() == figures_;
  return files_.activity() == activity;
}

// Where the call says it, as most do, little has to be asked. Empty: it does not wait any more, it has ended.
std::string_view StillThread::reason_of(const linux::ThreadActivity& activity) {
  const char state = files_.state();
  if (state == 'Z' || state == 'X') return {};
  if (state == 'T' || state == 't') return "stopped";
  const bool is_known = activity.call && is_of_64_bits(activity);
  const auto call = is_known ? linux::system_call_name(linux::kOwnCallNumbers, *activity.call) : std::string_view{};
  const CallReason by_call = reason_of_call(call);
  if (by_call.says == CallSays::Reason) return by_call.reason;
  const bool is_of_file = by_call.says == CallSays::File;
  file_ = is_of_file ? linux::open_file(files_.pid(), static_cast<int>(activity.arguments[0]), file_) : linux::OpenFile{};
  const bool is_told_by_file = file_.kind != linux::FileKind::Unknown && file_.kind != linux::FileKind::File;
  if (is_told_by_file) return reason_of_file(file_.kind, state);
  const std::string function = files_.waiting_in();
  const std::string_view reason = wait_reason({function});
  return reason != kOther ? reason : reason_of_file(file_.kind, state);
}

}  // namespace atys::capture::native
