// SPDX-License-Identifier: Apache-2.0
#include "capture/node/node_recorder.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "capture/node/cluster.h"
#include "capture/node/siblings.h"
#include "linux/namespaces.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::capture::node {

namespace {

constexpr uint64_t kOpenMs = 5000;
constexpr uint64_t kTurnMs = 2000;
constexpr uint64_t kCallMs = 10'000;  // stopping makes V8 write the whole profile
constexpr double kMostHz = 200;       // V8 samples itself at a price: a tenth of its speed at 1,000
constexpr size_t kMostWorkers = 256;
constexpr time_t kTickSeconds = 2;
constexpr uint64_t kGuestMs = 1000;  // what was recorded is worth no longer a wait while somebody else is there
constexpr uint64_t kEndMs = 3000;    // a process that ends waits for us no longer, whatever its workers do

// Whose isolate it is: a synchronous look at /proc is made by the very thread that asks. The answer is in its own pid
// namespace: "12/task/17".
constexpr std::string_view kWhoAmI =
    "(process.getBuiltinModule ? process.getBuiltinModule('fs') : require('fs')).readlinkSync('/proc/thread-self')";

// Node.js does not end while a session is open. All versions since 12 tell a session that wants to know, and keep what it
// recorded until it has gone.
constexpr std::string_view kTellTheEnd = "NodeRuntime.notifyWhenWaitingForDisconnect";
constexpr std::string_view kEnd = "NodeRuntime.waitingForDisconnect";

constexpr std::string_view kSamplerName = "v8:ProfEvntProc";

std::set<pid_t> threads_of(pid_t pid) {
  const auto threads = linux::list_threads(pid);
  return threads.ok() ? std::set<pid_t>(threads->begin(), threads->end()) : std::set<pid_t>();
}

}  // namespace

NodeRecorder::~NodeRecorder() { (void)close(); }

Deadline NodeRecorder::within(uint64_t ms) const { return {std::min(Deadline::in_ms(ms).at_ns, latest_ns_.load())}; }

Result<Json> NodeRecorder::call(const Isolate& isolate, std::string_view method, const Json& params) {
  const Deadline deadline = end_by_ ? *end_by_ : within(kCallMs);
  if (isolate.session.empty()) return client_->call(method, params, deadline);
  return client_->call_worker(isolate.session, method, params, deadline);
}

Result<> NodeRecorder::begin(const Isolate& isolate) {
  const auto interval_us = static_cast<int64_t>(std::llround(1e6 / std::clamp(recording_.hz, 1.0, kMostHz)));
  TRY(call(isolate, "Profiler.enable", Json::object()));
  TRY(call(isolate, "Profiler.setSamplingInterval", {{"interval", interval_us}}));
  TRY(call(isolate, "Profiler.start", Json::object()));
  return {};
}

// V8 takes an interval only between two profiles.
void NodeRecorder::set_rate(double hz) {
  const bool is_same_for_v8 = std::min(recording_.hz, kMostHz) == std::min(hz, kMostHz);
  recording_.hz = hz;
  if (!client_ || is_ending_ || is_same_for_v8) return;
  if (!kept_) kept_ = Taken{.profile = new_profile(*recording_.kind), .covered = {}};
  (void)take_each(Then::BeginAnew, *kept_);  // what ails it, the next take() meets as well
}

Result<> NodeRecorder::open_session(Deadline deadline) {
  const std::string path = TRY(read_session_path(door_.address(), deadline));
  client_ = TRY(InspectorClient::connect(door_.address(), path, deadline));
  return door_.set_deadline(*client_, deadline);
}

// One process at a time for each port: who finds it taken opens none. Others may wait for theirs, so nothing else is done
// until it has moved.
Result<> NodeRecorder::open_door(Deadline deadline) {
  if (TRY(door_.enter())) return {};
  const PortTurn turn(door_.usual_port(), std::chrono::milliseconds(kTurnMs));
  if (!turn.has_come())
    return fail(ErrorCode::Unavailable,
                fmt::format("process {} waits for its turn: inspectors of others are being opened", process_.pid));
  const std::set<pid_t> before = threads_of(process_.pid);
  TRY(door_.open(deadline));
  note_made_threads(before);
  if (door_.was_open() || process_.options.port == 0 || !can_move_inspector(process_)) return {};
  if (!recording_.has_company || !(process_.is_cluster_worker || has_sibling(process_.pid))) {
    held_.emplace(door_.usual_port());
    return {};
  }
  TRY(open_session(deadline));
  TRY(spare_workers(deadline));
  return move_away(deadline);
}

// The one that has come with the inspector listens for it. Were there several, one might be the program's.
void NodeRecorder::note_made_threads(const std::set<pid_t>& before) {
  std::set<pid_t> fresh = threads_of(process_.pid);
  std::erase_if(fresh, [&](pid_t tid) { return before.contains(tid); });
  if (fresh.size() == 1 && !door_.was_open()) made_.insert(*fresh.begin());
}

Result<> NodeRecorder::connect() {
  const Deadline deadline = within(kOpenMs);
  TRY(open_door(deadline));
  TRY(open_session(deadline));
  TRY(spare_workers(deadline));
  TRY(tell_the_end(deadline));
  watch();
  return {};
}

Result<> NodeRecorder::tell_the_end(Deadline deadline) {
  TRY(client_->call(kTellTheEnd, {{"enabled", true}}, deadline));
  return {};
}

// It became the primary of a cluster between our looking and its opening.
Result<> NodeRecorder::spare_workers(Deadline deadline) {
  if (door_.was_open() || process_.is_cluster_worker || std::exchange(has_spared_, true)) return {};
  const std::vector<pid_t> workers = cluster_workers(process_.pid);
  if (workers.empty()) return {};
  signalled_ = TRY(stop_opening_workers(*client_, workers, deadline));
  for (const pid_t worker : signalled_) note_asked_worker(worker);
  return {};
}

Result<> NodeRecorder::move_away(Deadline deadline) {
  const std::set<pid_t> before = threads_of(process_.pid);
  TRY(door_.move_away(*std::exchange(client_, std::nullopt), deadline));
  note_made_threads(before);
  held_.reset();
  return {};
}

// What it recorded so far is kept; the move takes it some milliseconds, in which it records nothing.
void NodeRecorder::give_port_back() {
  const Deadline deadline = within(kOpenMs);
  if (!kept_) kept_ = Taken{.profile = new_profile(*recording_.kind), .covered = {}};
  Result<> done = take_each(Then::Stop, *kept_);
  isolates_.clear();
  if (done.ok()) done = move_away(deadline);
  if (done.ok()) done = open_session(deadline);
  if (done.ok()) done = tell_the_end(deadline);
  if (done.ok()) done = begin_all();
  held_.reset();
  if (done.ok()) return watch();
  kept_->profile.add_loss("JavaScript after its inspector had to move: " + done.error().message, 1);
  if (!kept_->covered.empty()) until_end_.emplace(*std::exchange(kept_, std::nullopt));
  (void)close();
}

void NodeRecorder::watch() {
  wakeups_.reset(::epoll_create1(EPOLL_CLOEXEC));
  ticks_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec each{.it_interval = {.tv_sec = kTickSeconds, .tv_nsec = 0},
                        .it_value = {.tv_sec = kTickSeconds, .tv_nsec = 0}};
  ::timerfd_settime(ticks_.get(), 0, &each, nullptr);
  for (const int fd : {client_->fd(), ticks_.get(), held_ ? held_->fd() : -1}) {
    epoll_event event{.events = EPOLLIN, .data = {}};
    if (fd >= 0) ::epoll_ctl(wakeups_.get(), EPOLL_CTL_ADD, fd, &event);
  }
}

// Whoever is told that it failed does not come back to end it, or tries again and takes our inspector for another's.
Result<> NodeRecorder::start() {
  Result<> started = start_sampling();
  is_watched_ = started.ok();
  if (started.ok())
    on_wakeup();
  else
    (void)close();
  return started;
}

Result<> NodeRecorder::start_sampling() {
  TRY(connect());
  return begin_all();
}

Result<> NodeRecorder::begin_all() {
  const auto name = linux::thread_name(process_.pid, process_.pid);
  isolates_ = {{.session = {}, .thread = {process_.pid, process_.pid, name.ok() ? *name : std::string()}}};
  TRY(begin(isolates_.front()));
  // Not known before Node.js 10.5; the main thread is worth having alone.
  (void)call(isolates_.front(), "NodeWorker.enable", {{"waitForDebuggerOnStart", false}});
  take_up_workers();
  return {};
}

Result<V8Thread> NodeRecorder::thread_of(const std::string& worker_session) {
  const Isolate isolate{.session = worker_session, .thread = {}};
  const Json answer = TRY(call(isolate, "Runtime.evaluate", evaluation_of(kWhoAmI)));
  const std::string text = text_member(member(answer, "result"), "value");
  const size_t slash = text.rfind('/');
  const auto inside =
      slash == std::string::npos ? std::nullopt : linux::parse_number<pid_t>(std::string_view(text).substr(slash + 1));
  if (!inside) return fail(ErrorCode::Unsupported, "the worker thread does not say which thread it is");
  const pid_t tid = TRY(linux::thread_outside(process_.pid, *inside));
  const auto name = linux::thread_name(process_.pid, tid);
  return V8Thread{process_.pid, tid, name.ok() ? *name : std::string()};
}

// Workers that cannot be profiled, or that end meanwhile, stay with the native samples of their threads.
void NodeRecorder::take_up_workers() {
  for (const Json& event : client_->take_events()) {
    const std::string session = text_member(member(event, "params"), "sessionId");
    const std::string method = text_member(event, "method");
    is_ending_ |= method == kEnd;
    if (method == "NodeWorker.detachedFromWorker")
      std::erase_if(isolates_, [&](const Isolate& isolate) { return isolate.session == session; });
    if (method != "NodeWorker.attachedToWorker" || session.empty() || isolates_.size() >= kMostWorkers) continue;
    auto thread = thread_of(session);
    if (!thread.ok()) continue;
    Isolate worker{.session = session, .thread = thread.take()};
    if (begin(worker).ok()) isolates_.push_back(std::move(worker));
  }
}

Result<> NodeRecorder::take_from(const Isolate& isolate, Then then, Profile& profile) {
  for (const pid_t tid : threads_of(process_.pid))
    if (const auto name = linux::thread_name(process_.pid, tid); name.ok() && *name == kSamplerName) made_.insert(tid);
  const Json answer = TRY(call(isolate, "Profiler.stop", Json::object()));
  if (then == Then::GoOn) TRY(call(isolate, "Profiler.start", Json::object()));
  if (then == Then::BeginAnew) TRY(begin(isolate));
  return add_cpu_profile(member(answer, "profile"), *recording_.kind, isolate.thread, profile);
}

Result<> NodeRecorder::take_each(Then then, Taken& into) {
  const std::vector<Isolate> isolates = isolates_;
  for (const Isolate& isolate : isolates) {
    Result<> taken = take_from(isolate, then, into.profile);
    if (taken.ok()) {
      into.covered.insert(isolate.thread.tid);
    } else if (isolate.session.empty()) {
      return taken;
    } else {
      into.profile.add_loss("JavaScript of worker threads that ended", 1);
      std::erase_if(isolates_, [&](const Isolate& one) { return one.session == isolate.session; });
    }
  }
  return {};
}

// Of one that is gone, what was kept is there.
Result<NodeRecorder::Taken> NodeRecorder::take_all(bool is_last) {
  std::optional<Taken> kept = std::exchange(kept_, std::nullopt);
  const bool has_some = kept && !kept->covered.empty();
  Taken all = kept ? std::move(*kept) : Taken{.profile = new_profile(*recording_.kind), .covered = {}};
  const Result<> taken = take_each(is_last ? Then::Stop : Then::GoOn, all);
  if (taken.ok()) return all;
  if (!has_some) return taken.error();
  all.profile.add_loss("JavaScript: " + taken.error().message, 1);
  return all;
}

Result<Profile> NodeRecorder::take(bool is_last) {
  look_for_end();
  std::optional<Result<Taken>> taken = std::exchange(until_end_, std::nullopt);
  if (!taken) {
    if (!client_) return fail(ErrorCode::Unavailable, why_over_);
    taken.emplace(take_all(is_last));
  }
  if (!taken->ok()) return taken->error();
  covered_ = std::move((*taken)->covered);
  if (is_last) {
    if (const Result<> closed = close(); !closed.ok()) (*taken)->profile.add_fact("warning", closed.error().message);
  } else if (client_) {
    take_up_workers();
    on_wakeup();
  }
  return std::move((*taken)->profile);
}

// A session that has ended is of no use to look at; whoever takes next is told.
void NodeRecorder::look_for_end() {
  if (!client_) return;
  is_watched_ = is_watched_ && client_->look_for_events().ok();
  if (is_ending_ || client_->has_event(kEnd)) let_end();
}

void NodeRecorder::on_wakeup() {
  look_for_end();
  uint64_t ticks = 0;
  if (client_ && ::read(ticks_.get(), &ticks, sizeof ticks) == sizeof ticks) look_at_door();
  if (client_ && held_ && held_->is_asked()) give_port_back();
}

// Who else comes in may do anything to the process. What was recorded is kept, and nobody else is let in because of us.
void NodeRecorder::look_at_door() {
  if (const auto guest = door_.has_guest(*client_); !guest.ok() || !*guest) return door_.give_more_time(*client_);
  const std::string told = fmt::format("somebody else connected to the inspector of process {} while it was open{}",
                                       process_.pid, door_.was_open() ? "" : " for the recording: it was closed");
  why_over_ = told;
  end_by_ = Deadline::in_ms(kGuestMs);
  Taken taken{.profile = new_profile(*recording_.kind), .covered = {}};
  if (Result<Taken> all = take_all(true); all.ok()) taken = all.take();
  taken.profile.add_loss("JavaScript after somebody else connected to its inspector", 1);
  taken.profile.add_fact("warning", told);
  if (const Result<> closed = close(); !closed.ok()) taken.profile.add_fact("warning", closed.error().message);
  until_end_.emplace(std::move(taken));
}

// It has stopped listening by itself: nothing is left to close but our session.
void NodeRecorder::let_end() {
  end_by_ = Deadline::in_ms(kEndMs);
  until_end_.emplace(take_all(true));
  client_.reset();
  held_.reset();
  door_.forget();
  isolates_.clear();
}

std::vector<pid_t> NodeRecorder::covered_threads() const {
  if (!covered_.empty()) return {covered_.begin(), covered_.end()};
  return {process_.pid};
}

Result<> NodeRecorder::close() {
  isolates_.clear();
  close_asked_workers(std::exchange(signalled_, {}), process_.runtime_file, within(kOpenMs));
  Result<> closed = door_.close(std::exchange(client_, std::nullopt), within(kOpenMs));
  held_.reset();  // from here on the port is free, or not ours to give
  return closed;
}

}  // namespace atys::capture::node
