// SPDX-License-Identifier: Apache-2.0
#include "capture/attachments.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "base/breather.h"
#include "base/clock.h"
#include "capture/target/detect.h"

namespace atys::capture {

namespace {
constexpr size_t kMostNotes = 20;                             // a host has hundreds of processes that all lack the same
constexpr size_t kMostRecordings = 64;                        // each has a thread of ours
constexpr size_t kMostOfEnded = 1024;                         // profiles of processes that have ended meanwhile
constexpr std::chrono::milliseconds kPatience{5000};          // for all of them together
constexpr std::chrono::milliseconds kPatienceWithEnded{500};  // what they recorded is there, or lost

std::chrono::milliseconds left_until(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds{0});
}

// Many messages say which process they are about.
std::string about(pid_t pid, std::string_view what, const std::string& message) {
  const std::string process = fmt::format("process {}", pid);
  const bool says_it = message.starts_with(process + " ");
  return says_it ? process + std::string(what) + message.substr(process.size())
                 : fmt::format("{}{}: {}", process, what, message);
}
}  // namespace

Attachments::Attachments(const RecordingPlan& plan)
    : plan_(plan), rate_(plan.hz), begun_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Attachments::note(std::string text) {
  if (told_.size() >= kMostNotes || std::ranges::find(told_, text) != told_.end()) return;
  told_.push_back(text);
  notes_.push_back(std::move(text));
}

bool Attachments::may_bring_runtime(std::string_view path) const { return is_runtime_file(path); }

void Attachments::begin_recording(pid_t pid, const std::string& name, std::unique_ptr<OwnRecorder> recorder,
                                  std::vector<std::string> notes) {
  if (recordings_.size() >= kMostRecordings) let_ended_go();
  if (recordings_.size() >= kMostRecordings) {
    note(fmt::format("only {} runtimes are told to sample themselves at a time: native frames of the others",
                     kMostRecordings));
    return;
  }
  Attached& attached =
      recordings_
          .insert_or_assign(pid,
                            Attached{.recording = std::make_unique<OwnRecording>(pid, std::move(recorder), begun_.get()),
                                     .account = ThreadTimes(pid),
                                     .notes = std::move(notes)})
          .first->second;
  if (window_ns_ != 0) attached.account.begin_late(window_ns_, clock_ns(CLOCK_MONOTONIC));
  ++runtimes_[name];
}

void Attachments::set_rate(double hz, uint64_t now_ns) {
  if (!rate_.follow(hz, now_ns)) return;
  plan_.hz = rate_.hz();
  for (const auto& [pid, attached] : recordings_) attached.recording->set_rate(rate_.hz());
}

void Attachments::settle(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (auto& [pid, attached] : recordings_) {
    (void)attached.recording->is_settled(left_until(until));
    tell_started(attached);
  }
}

void Attachments::tell_started(Attached& attached) {
  if (attached.notes.empty() || !attached.recording->has_started()) return;
  for (std::string& text : std::exchange(attached.notes, {})) note(std::move(text));
}

std::vector<pid_t> Attachments::take_covered() {
  std::vector<pid_t> pids;
  for (const auto& [pid, attached] : recordings_)
    if (!covered_.contains(pid) && attached.recording->covers_all()) pids.push_back(pid);
  covered_.insert(pids.begin(), pids.end());
  return pids;
}

// One that does not sample yet stands for nothing yet.
void Attachments::begin_window(uint64_t now_ns) {
  window_ns_ = now_ns;
  for (auto& [pid, attached] : recordings_) {
    attached.before.clear();
    attached.times = attached.times_before = {};
    attached.account.begin(now_ns);
    attached.stands = attached.recording->has_started();
  }
}

void Attachments::begin_next_window(uint64_t at_ns) {
  window_ns_ = at_ns;
  for (auto& [pid, attached] : recordings_) {
    attached.before.clear();
    attached.times = attached.times_before = {};
    attached.account.begin_where_looked();
  }
}

// Of a process that has ended and is gone by now, the look before is what is known.
void Attachments::look_at(Attached& attached, uint64_t now_ns) {
  ProcessTimes times = attached.account.look(now_ns);
  if (times.cpu_ns || times.threads.size() >= attached.times.threads.size()) attached.times = std::move(times);
}

void Attachments::end_window(uint64_t now_ns) {
  for (auto& [pid, attached] : recordings_) look_at(attached, now_ns);
}

void Attachments::note_end(const native::EndedThread& thread) {
  if (const auto found = recordings_.find(thread.pid); found != recordings_.end()) found->second.account.note_end(thread);
}

std::vector<pid_t> Attachments::take_begun(uint64_t now_ns) {
  eventfd_t begun = 0;
  (void)::eventfd_read(begun_.get(), &begun);
  std::vector<pid_t> pids;
  for (auto& [pid, attached] : recordings_) {
    if (window_ns_ == 0 || attached.stands || !attached.recording->has_started()) continue;
    attached.stands = true;
    attached.times_before = attached.account.look(now_ns);
    attached.account.begin_where_looked();
    tell_started(attached);
    pids.push_back(pid);
  }
  return pids;
}

void Attachments::keep_before(pid_t pid, std::map<size_t, native::SlotValue> before) {
  if (const auto found = recordings_.find(pid); found != recordings_.end()) found->second.before = std::move(before);
}

void Attachments::before_naming() {
  for (const auto& [pid, companion] : companions_)
    if (const Result<> done = companion->before_naming(); !done.ok())
      note(fmt::format("process {}: {}", pid, done.error().message));
}

std::vector<OwnProfile> Attachments::take_profiles(bool is_last) {
  std::vector<OwnProfile> profiles;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  let_ended_go();
  std::swap(profiles, of_ended_);
  std::vector<Attached*> asked;
  for (auto& [pid, attached] : recordings_)
    if (is_last || attached.recording->is_settled(std::chrono::milliseconds{0})) asked.push_back(&attached);
  for (const Attached* attached : asked) attached->recording->ask(is_last);
  for (Attached* attached : asked) profiles.push_back(answer_of(*attached, left_until(until)));
  if (is_last) recordings_.clear();
  return profiles;
}

OwnProfile Attachments::answer_of(Attached& attached, std::chrono::milliseconds patience) {
  OwnRecording& recording = *attached.recording;
  Result<Profile> taken = recording.answer(patience);
  tell_started(attached);
  const pid_t pid = recording.pid();
  OwnProfile own{.pid = pid,
                 .is_only_source = covered_.contains(pid),
                 .times = attached.times,
                 .before = attached.before,
                 .times_before = attached.times_before};
  // What began when all was over stands for no time: all that there is was sampled natively.
  if (window_ns_ != 0 && !attached.stands && recording.has_started()) return own;
  if (taken.ok()) {
    own.threads = recording.covered_threads();
    own.made = recording.made_threads();
    own.profile = taken.take();
  } else {
    note(fmt::format("{}: {}", about(pid, "", taken.error().message),
                     own.is_only_source ? "its time has no stacks" : "native frames only"));
    if (recording.has_started()) own.profile.add_loss("recordings that a runtime did not hand over", 1);
  }
  return own;
}

void Attachments::let_ended_go() {
  std::vector<pid_t> ended;
  for (const auto& [pid, attached] : recordings_)
    if (of_ended_.size() + ended.size() < kMostOfEnded && attached.recording->has_ended()) ended.push_back(pid);
  for (const pid_t pid : ended) {
    look_at(recordings_.at(pid), clock_ns(CLOCK_MONOTONIC));
    recordings_.at(pid).recording->ask(true);
  }
  const auto until = std::chrono::steady_clock::now() + kPatienceWithEnded;
  for (const pid_t pid : ended) {
    of_ended_.push_back(answer_of(recordings_.at(pid), left_until(until)));
    recordings_.erase(pid);
    covered_.erase(pid);
  }
}

native::ReaderFinder::Found Attachments::find_reader(pid_t pid) {
  Found found;
  breathe();
  const auto runtimes = detect_runtimes(pid);
  if (!runtimes.ok()) return found;
  for (const DetectedRuntime& runtime : *runtimes) {
    const ProfilingKernel& kernel = *find_kernel(runtime.kernel);
    const std::string name = runtime.name + (runtime.version.empty() ? "" : " " + runtime.version);
    if (kernel.reads_stacks() && !can_walk_) {
      note(fmt::format("tier {} does not see frames of {}: native frames only; eBPF does, and --tier memory", tier_, name));
      continue;
    }
    if (!kernel.reads_stacks() && recordings_.contains(pid)) continue;  // looked at again, for another runtime in it
    auto attached = kernel.attach({.pid = pid, .runtime = &runtime, .plan = &plan_});
    if (!attached.ok()) {
      found.ask_again |= attached.error().code == ErrorCode::Unavailable;
      if (attached.error().code != ErrorCode::Unavailable)
        note(fmt::format("{}: native frames only", about(pid, " (" + name + ")", attached.error().message)));
      continue;
    }
    if (attached->recorder != nullptr)
      begin_recording(pid, name, std::move(attached->recorder), std::move(attached->notes));
    else
      for (std::string& text : attached->notes) note(std::move(text));
    if (attached->companion != nullptr) companions_[pid] = std::move(attached->companion);
    if (attached->reader == nullptr) continue;
    ++runtimes_[name];
    if (found.reader == nullptr) found.reader = std::move(attached->reader);
  }
  return found;
}

}  // namespace atys::capture
