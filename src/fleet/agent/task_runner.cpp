// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/task_runner.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>

#include "base/breather.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "capture/recording.h"
#include "capture/target/service_watch.h"
#include "linux/process.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kLookAgainNs = 1'000'000'000;  // for instances, where there are none
constexpr uint64_t kTurnNs = 100'000'000;
constexpr uint64_t kStartPatienceNs = 60'000'000'000;
constexpr uint64_t kRestPatienceNs = 10'000'000'000;  // with one piece of work: somebody waits for the first table
constexpr uint64_t kBetweenRestsNs = 3'000'000;       // of CPU time
constexpr uint64_t kNamingPatience = 2;               // this part of a window
constexpr size_t kMostFreeBytes = 8 << 20;
constexpr uint64_t kMostWindowsOfOne = 2160;  // of one recording: six hours of ten seconds, then what it knows is let go

std::unique_ptr<adapt::FrequencyPolicy> policy_of(const TaskFrequency& frequency) {
  switch (frequency.mode) {
    case FrequencyMode::Fixed: return adapt::fixed_frequency(frequency.fixed_hz);
    case FrequencyMode::Paper: return adapt::paper_frequency(frequency.dynamic);
    case FrequencyMode::Pooled: return adapt::pooled_frequency(frequency.dynamic);
  }
  return adapt::fixed_frequency(frequency.fixed_hz);
}

// Unique to the window, and the same if it is sent again.
std::string window_id(const std::string& sender_hex, uint64_t sequence) {
  std::string id(16, '\0');
  for (size_t i = 0; i < 8 && 2 * i + 1 < sender_hex.size(); ++i)
    id[i] = static_cast<char>(std::stoi(sender_hex.substr(2 * i, 2), nullptr, 16));
  for (size_t i = 0; i < 8; ++i) id[8 + i] = static_cast<char>(sequence >> (56 - 8 * i));
  return id;
}

bool is_there(pid_t pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }

// Naming a window takes many times what a recording holds; to give back little costs more than it is worth.
void give_back_memory() {
  if (::mallinfo2().fordblks > kMostFreeBytes) ::malloc_trim(0);
}

uint64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace

class TaskRunner::Loop {
 public:
  explicit Loop(TaskRunner& runner) : runner_(runner), task_(runner.task_), policy_(policy_of(task_.frequency)) {}

  void run() {
    const Breather breather([this] { rest(); });
    began_ns_ = clock_ns(CLOCK_MONOTONIC);
    hz_ = policy_->first_hz();
    while (!is_over() && runner_.sleep(0)) {
      if (runner_.rate_factor_ <= 0) {
        tell("paused: the agent is above its budget");
        runner_.sleep(kLookAgainNs);
        continue;
      }
      if (const Result<> done = record(); !done.ok()) {
        tell(error_text(done.error()));
        runner_.sleep(kLookAgainNs);
        if (done.error().code == ErrorCode::NotFound) wait_for_instances();
      } else if (task_.pause_ns > 0) {
        runner_.sleep(task_.pause_ns);
      }
    }
  }

 private:
  bool is_over() const { return task_.for_ns > 0 && clock_ns(CLOCK_MONOTONIC) - began_ns_ >= task_.for_ns; }

  // To look for them as a recording does, at everything that runs, costs too much to be done for ever.
  void wait_for_instances() {
    const Result<capture::ServiceRule> rule = capture::ServiceRule::parse(task_.service);
    if (!rule.ok()) return;
    capture::ServiceWatch watch(*rule);
    while (watch.look(clock_ns(CLOCK_BOOTTIME)).empty() && !is_over() && runner_.sleep(kLookAgainNs)) {
    }
  }

  bool wait_for(WorkPace::Turn& turn) {
    if (turn.has_come()) return true;
    tell(std::string(kWaitsForTurn));
    while (!turn.has_come())
      if (!runner_.sleep(kTurnNs)) return false;
    return true;
  }

  void begin_work() { rest_until_ns_ = clock_ns(CLOCK_MONOTONIC) + kRestPatienceNs; }

  // In the midst of long work, such as reading the tables of a large binary: what all of us have spent by now decides.
  void rest() {
    if (thread_cpu_ns() - rested_at_ns_ < kBetweenRestsNs) return;
    while (clock_ns(CLOCK_MONOTONIC) < rest_until_ns_) {
      const uint64_t ns = runner_.surroundings_.pace->rest_ns();
      if (ns == 0 || !runner_.sleep(std::min(ns, kTurnNs))) break;
    }
    rested_at_ns_ = thread_cpu_ns();
  }

  void tell(const std::string& trouble) {
    const auto state = runner_.state_->lock();
    state->trouble = trouble;
    if (!trouble.empty()) state->instances = 0;
  }

  Result<> record() {
    runner_.wants_fresh_recording_ = false;
    capture::ServiceRule rule = TRY(capture::ServiceRule::parse(task_.service));
    capture::RecordingPlan plan{.target = capture::ServiceTarget{std::move(rule)},
                                .kind = runner_.kind_,
                                .may_open_inspector = task_.allow_inspector,
                                .hz = wanted_hz(),
                                .max_overhead = task_.budget.overhead,
                                .cache_folder = runner_.surroundings_.cache_folder,
                                .trace_folder = runner_.surroundings_.trace_folder,
                                .pruning = task_.prune,
                                .is_one_of_several = true,
                                .wake_fd = runner_.wake_fd_.get(),
                                .keeps_times = task_.frequency.mode == FrequencyMode::Pooled};
    cpu_before_ = thread_cpu_ns();
    kernel_before_ = 0;
    std::unique_ptr<capture::Recording> recording;
    {
      WorkPace::Turn turn(*runner_.surroundings_.pace, WorkPace::Work::Begin, kStartPatienceNs);
      if (!wait_for(turn)) return {};
      begin_work();
      recording = TRY(capture::Recording::open(plan));
      TRY(recording->start());
    }
    tell("");
    for (uint64_t windows = 0; windows < kMostWindowsOfOne; ++windows) {
      const bool goes_on = record_window(*recording);
      if (!goes_on || task_.pause_ns > 0 || runner_.wants_fresh_recording_ || runner_.rate_factor_ <= 0) break;
    }
    return {};
  }

  WorkPace::Work naming() const {
    return runner_.state_->lock()->windows == 0 ? WorkPace::Work::FirstNames : WorkPace::Work::Names;
  }

  // False: nothing is left to record, or we are to end.
  bool record_window(capture::Recording& recording) {
    const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + task_.window_ns;
    begin_work();
    std::optional<WorkPace::Turn> turn;  // to name it; meanwhile the window goes on
    bool goes_on = true;
    while (goes_on) {
      const uint64_t now = clock_ns(CLOCK_MONOTONIC);
      if (now >= end_ns && !turn) turn.emplace(*runner_.surroundings_.pace, naming(), task_.window_ns / kNamingPatience);
      if (turn && turn->has_come()) break;
      const uint64_t wait_ns = turn ? kTurnNs : end_ns - now;
      goes_on = recording.step(static_cast<int>(wait_ns / 1'000'000 + 1)) == capture::EndReason::Running &&
                runner_.sleep(0) && !is_over();
    }
    begin_work();
    finish_window(recording, !goes_on);
    return goes_on;
  }

  void finish_window(capture::Recording& recording, bool is_last) {
    Profile recorded = is_last ? recording.finish() : recording.take_window();
    const size_t column = recorded.default_value_column();
    const adapt::Shares shares = adapt::shares_of(recorded, column);
    const double granted = recording.use().grants.back().hz;
    const adapt::NextWindow next = policy_->next(shares, granted);
    hz_ = next.hz;
    if (!is_last) recording.ask_rate(wanted_hz());
    const auto cut = adapt::find_cut(next.before, recorded, column);
    std::optional<int64_t> began;
    if (cut && last_window_ && cut->from_ns <= recorded.header.time_ns)
      began = adapt::find_beginning(next.before, *last_window_, shares, column).value_or(recorded.header.time_ns);
    deliver(recording, recorded, {next.stretch, cut, began}, granted);
    last_window_.reset();
    if (recorded.samples.has_times()) last_window_ = std::move(recorded);
  }

  struct Standing {
    uint64_t stretch = 0;
    std::optional<adapt::Cut> cut;
    std::optional<int64_t> began_ns;
  };

  void deliver(const capture::Recording& recording, const Profile& recorded, const Standing& standing, double hz) {
    const uint64_t sequence = runner_.surroundings_.next_sequence();
    const WindowOrigin origin{.service = service_name(task_),
                              .node = runner_.surroundings_.node,
                              .task = task_.name,
                              .sender = runner_.surroundings_.sender,
                              .sequence = sequence,
                              .stretch = standing.stretch,
                              .cut = standing.cut,
                              .began_ns = standing.began_ns};
    FinishedWindow window;
    window.hz = hz;
    window.profile = outgoing_window(
        recorded, origin, [this](pid_t pid) { return instance(pid); }, recording.processes());
    window.profile.header.id = window.profile.strings.intern(window_id(origin.sender, sequence));
    window.kernel_cpu_ns = recording.use().kernel_cpu_ns - kernel_before_;
    window.cpu_ns = thread_cpu_ns() - cpu_before_ + window.kernel_cpu_ns;
    window.profile.overhead.cpu_ns = static_cast<int64_t>(window.cpu_ns);
    cpu_before_ = thread_cpu_ns();
    kernel_before_ = recording.use().kernel_cpu_ns;
    forget_ended();
    note(recording, hz);
    runner_.surroundings_.deliver(task_, std::move(window));
    give_back_memory();
  }

  void note(const capture::Recording& recording, double hz) {
    const auto state = runner_.state_->lock();
    state->hz = hz;
    ++state->windows;
    state->overhead = recording.use().overhead;
    const std::vector<pid_t> seen = recording.processes();
    state->instances = static_cast<uint32_t>(std::count_if(seen.begin(), seen.end(), is_there));
  }

  Instance instance(pid_t pid) {
    const auto [found, is_new] = instances_.try_emplace(pid);
    if (!is_new) return found->second.instance;
    Result<linux::ProcessInfo> process = linux::read_process(pid);
    if (!process.ok()) process = linux::ProcessInfo{.pid = pid};  // it ended before we could look
    const Result<std::vector<std::string>> environment = linux::read_environment(pid);
    found->second = {process->start_time_ticks,
                     instance_of(*process, environment.ok() ? *environment : std::vector<std::string>{})};
    return found->second.instance;
  }

  void forget_ended() {
    std::erase_if(instances_, [](const auto& known) { return !linux::is_alive(known.first, known.second.start_time); });
  }

  double wanted_hz() const { return std::max(1.0, hz_ * runner_.rate_factor_); }

  struct Known {
    uint64_t start_time = 0;
    Instance instance;
  };

  TaskRunner& runner_;
  const Task& task_;
  std::unique_ptr<adapt::FrequencyPolicy> policy_;
  std::map<pid_t, Known> instances_;
  std::optional<Profile> last_window_;  // whose samples have times: a change that is seen later may have begun in it
  double hz_ = 0;
  uint64_t began_ns_ = 0;
  uint64_t cpu_before_ = 0;
  uint64_t rest_until_ns_ = 0;
  uint64_t rested_at_ns_ = 0;  // CPU time by then
  uint64_t kernel_before_ = 0;
};

TaskRunner::TaskRunner(Task task, capture::Kind kind, RunnerSurroundings surroundings)
    : task_(std::move(task)),
      kind_(std::move(kind)),
      surroundings_(std::move(surroundings)),
      state_(std::make_shared<Guarded<TaskState>>()) {
  state_->lock()->task = task_.name;
  thread_ = std::thread([this] { Loop(*this).run(); });
}

TaskRunner::~TaskRunner() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  (void)::eventfd_write(wake_fd_.get(), 1);
  thread_.join();
}

bool TaskRunner::sleep(uint64_t ns) {
  std::unique_lock lock(mutex_);
  if (ns > 0) wake_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return is_ending_; });
  return !is_ending_;
}

TaskState TaskRunner::state() const { return *state_->lock(); }

}  // namespace atys::fleet
