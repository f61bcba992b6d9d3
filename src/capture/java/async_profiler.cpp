// SPDX-License-Identifier: Apache-2.0
#include "capture/java/async_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/byte_source.h"
#include "capture/accounts/kind_values.h"
#include "capture/java/agent_session.h"
#include "capture/java/jfr_chunks.h"
#include "capture/java/recorded_profile.h"
#include "format/format.h"
#include "reduce/merge.h"

namespace atys::capture::java {

namespace {

constexpr int kFirstToSampleObjects = 11;  // JEP 331
constexpr size_t kLargestRecording = size_t{1} << 30;
constexpr uint64_t kLongestAfterPlan = 60;      // seconds that a recording outlives a plan whose maker has died
constexpr uint64_t kLongestOpenEnded = 86'400;  // and one without an end

struct AgentEvent {
  std::string_view kind;
  std::string_view options;  // which end in what lies between two samples
};
constexpr AgentEvent kAgentEvents[] = {{"cpu", "event=cpu,interval="},
                                       {"wall", "event=wall,interval="},
                                       {"alloc", "event=alloc,alloc="},
                                       {"lock", "event=lock,lock="}};

uint64_t interval_of(double hz) { return static_cast<uint64_t>(std::llround(1e9 / hz)); }

std::set<pid_t> threads_of(pid_t pid) {
  const auto threads = linux::list_threads(pid);
  return threads.ok() ? std::set<pid_t>(threads->begin(), threads->end()) : std::set<pid_t>();
}

// A thread has the name of the one that made it until it gives itself another, and orders are carried out by this one.
bool is_of_agent(pid_t pid, pid_t tid) {
  const auto name = linux::thread_name(pid, tid);
  return name.ok() && (*name == "Attach Listener" || name->starts_with("Async-prof"));
}

}  // namespace

struct AsyncProfiler::State {
  JavaProcess process;
  std::unique_ptr<AgentLibrary> library;
  Kind kind;
  std::string event;
  uint64_t interval_ns = 0;
  uint64_t longest_s = 0;
  std::string trace_folder;
  std::shared_ptr<std::atomic<uint64_t>> latest_ns = std::make_shared<std::atomic<uint64_t>>(UINT64_MAX);
  std::optional<AgentSession> session;
  bool was_ended = false;  // by somebody else
  uint64_t consumed = 0;   // bytes of the recording that were read already
  Profile kept;            // of recordings at other rates, since the last take
  std::set<pid_t> made;    // threads of the agent
};

AsyncProfiler::AsyncProfiler() : state_(std::make_unique<State>()) {}
AsyncProfiler::~AsyncProfiler() = default;

Result<std::string> agent_event(const Kind& kind, double hz) {
  const auto* const known = std::ranges::find(kAgentEvents, kind.row->name, &AgentEvent::kind);
  if (known == std::end(kAgentEvents)) return fail(ErrorCode::Unsupported, "async-profiler does not record " + kind.text());
  return fmt::format("{}{},cstack=vm", known->options, sample_period(kind, interval_of(hz)));
}

std::vector<std::string_view> agent_kinds() {
  std::vector<std::string_view> names;
  for (const AgentEvent& event : kAgentEvents) names.push_back(event.kind);
  return names;
}

Result<std::unique_ptr<AsyncProfiler>> AsyncProfiler::create(JavaProcess process, std::unique_ptr<AgentLibrary> library,
                                                             const RecordingPlan& plan) {
  std::unique_ptr<AsyncProfiler> made(new AsyncProfiler());
  made->state_->event = TRY(agent_event(plan.kind, plan.hz));
  made->state_->process = std::move(process);
  made->state_->library = std::move(library);
  made->state_->kind = plan.kind;
  made->state_->interval_ns = interval_of(plan.hz);
  made->state_->trace_folder = plan.trace_folder;
  made->state_->longest_s = plan.duration_ns == 0 ? kLongestOpenEnded : plan.duration_ns / 1'000'000'000 + kLongestAfterPlan;
  return made;
}

Result<> AsyncProfiler::start() {
  state_->session.emplace(TRY(
      AgentSession::create(state_->process, state_->library.get(), {.latest_ns = state_->latest_ns}, state_->trace_folder)));
  auto done = start_session();
  // A container may forbid perf events; timers need no rights.
  if (!done.ok() && state_->kind.row->is_cpu_time() && done.error().message.find("perf") != std::string::npos) {
    state_->event.replace(0, std::string_view("event=cpu").size(), "event=ctimer");
    done = start_session();
  }
  if (done.ok()) return done;
  state_->session.reset();
  Error error = done.error();
  if (state_->kind.row->columns.unit == "bytes" && error.hint.empty() && state_->process.release() < kFirstToSampleObjects)
    error.hint = fmt::format("before JDK {} this needs the machine's debug symbols: install them (openjdk-8-dbg in Debian)",
                             kFirstToSampleObjects);
  return error;
}

// It has no other way than to begin anew, which takes the machine some milliseconds.
void AsyncProfiler::set_rate(double hz) {
  if (!state_->session || !state_->kind.row->has_rate || !state_->session->stop().ok()) return;
  const uint64_t interval_ns = interval_of(hz);
  const std::string before = std::to_string(state_->interval_ns);
  state_->event.replace(state_->event.find(before), before.size(), std::to_string(interval_ns));
  if (const auto profile = read_new(); profile.ok())
    state_->kept = reduce::merge(state_->kept, *profile);
  else
    state_->kept.add_loss("java: what was recorded before a change of the rate cannot be read", 1);
  state_->interval_ns = interval_ns;
  // If it cannot, the next take() says so, and what was read is not read again.
  if (start_session().ok() || state_->session->is_recording()) state_->consumed = 0;
}

// The machine's own listener is there before.
Result<> AsyncProfiler::start_session() {
  const pid_t pid = state_->process.info.pid;
  const std::set<pid_t> before = threads_of(pid);
  Result<> done = state_->session->start(state_->event, state_->longest_s);
  for (const pid_t tid : threads_of(pid))
    if (!before.contains(tid) && is_of_agent(pid, tid)) state_->made.insert(tid);
  return done;
}

std::vector<pid_t> AsyncProfiler::made_threads() const { return {state_->made.begin(), state_->made.end()}; }

// The steady clock is CLOCK_MONOTONIC.
void AsyncProfiler::end_by(std::chrono::steady_clock::time_point time) {
  state_->latest_ns->store(static_cast<uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count()));
}

Result<Profile> AsyncProfiler::take(bool is_last) {
  auto present = take_present(is_last);
  Profile kept = std::exchange(state_->kept, {});
  if (kept.value_types().empty() && kept.losses.empty()) return present;
  if (present.ok()) return reduce::merge(kept, *present);
  kept.add_loss("java: " + present.error().message, 1);
  return kept;
}

Result<Profile> AsyncProfiler::take_present(bool is_last) {
  if (!state_->session) return fail(ErrorCode::Unavailable, "async-profiler was not started");
  auto done = end_or_dump(is_last);
  // A machine that ended has finished the recording itself.
  if (!done.ok() && linux::is_alive(state_->process.info.pid, state_->process.info.start_time_ticks)) {
    if (is_last) state_->session.reset();
    return done.error();
  }
  auto profile = read_new();
  if (is_last) state_->session.reset();
  return profile;
}

// Whoever else ended the recording, or the time limit did, has finished the file.
Result<> AsyncProfiler::end_or_dump(bool is_last) {
  auto done = is_last ? state_->session->stop() : state_->session->dump();
  if (done.ok() || done.error().message.find("not active") == std::string::npos) return done;
  state_->was_ended = true;
  return {};
}

Result<Profile> AsyncProfiler::read_new() {
  PrivateFolder& folder = state_->session->folder();
  Bytes bytes = TRY(folder.read(AgentSession::kRecording, state_->consumed, kLargestRecording));
  const size_t written = bytes.size();
  const size_t complete = TRY(complete_chunks(bytes));
  state_->consumed += complete;
  folder.forget(AgentSession::kRecording, state_->consumed);
  bytes.resize(complete);
  auto profile = TRY(read_recorded(std::move(bytes), state_->kind, state_->interval_ns));
  if (!state_->session->is_recording() && complete < written)
    profile.add_loss("java: the process was killed before its recording was written", 1);
  if (state_->was_ended) profile.add_loss("java: somebody else ended the recording", 1);
  if (state_->process.foreign.pid) number_threads_as_we_do(profile, state_->process.info.pid);
  return profile;
}

}  // namespace atys::capture::java
