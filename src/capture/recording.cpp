// SPDX-License-Identifier: Apache-2.0
#include "capture/recording.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>

#include "base/clock.h"
#include "capture/accounts/kind_values.h"
#include "capture/accounts/recording_costs.h"
#include "capture/accounts/window_clock.h"
#include "capture/accounts/window_sums.h"
#include "capture/attachments.h"
#include "capture/context/published_contexts.h"
#include "capture/look_times.h"
#include "capture/native/stack_collector.h"
#include "capture/provenance.h"
#include "capture/recorded_command.h"
#include "capture/recorded_samples.h"
#include "capture/source_choice.h"
#include "capture/target/target_processes.h"
#include "linux/signal_watch.h"
#include "linux/thread_priority.h"

namespace atys::capture {

namespace {

constexpr double kFarBelow = 0.25;  // of the cap, by what it costs lately
constexpr double kBelow = 0.5;      // the same, with what the beginning cost
constexpr double kNsPerSecond = 1e9;
constexpr std::chrono::milliseconds kAttachPatience{2000};  // for a process that does not answer; most take a tenth of it
constexpr int kPriority = -20;  // as nice(1) counts; without the right to it we stay where we are

uint64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

uint64_t period_of(double hz) { return static_cast<uint64_t>(std::llround(kNsPerSecond / hz)); }

// A host has hundreds of binaries, and nobody waits for the lines of all of them: large debug files then give names only. So
// they do for who records for good, within a budget of memory.
uint64_t most_debug_bytes(const RecordingPlan& plan) {
  if (plan.is_one_of_several) return uint64_t{96} << 20;
  return std::holds_alternative<HostTarget>(plan.target) ? uint64_t{24} << 20 : uint64_t{1} << 30;
}

bool is_of_any_process(const profile::KindRow& kind) { return kind.recorded_by == profile::KindRow::RecordedBy::Sampler; }

// Of recordings that were killed. Whatever cannot be undone now is tried again by the next.
void undo_traces(const std::string& folder) {
  mend_traces(folder, [](const TraceNote& note, bool is_alive) {
    const ProfilingKernel* kernel = find_kernel(note.kernel);
    return kernel == nullptr || kernel->undo(note, is_alive);
  });
}

}  // namespace

const char* to_string(EndReason reason) {
  switch (reason) {
    case EndReason::Running: return "running";
    case EndReason::Duration: return "the duration was over";
    case EndReason::TargetEnded: return "the target ended";
    case EndReason::Samples: return "enough samples were taken";
    case EndReason::Interrupted: return "it was interrupted";
    case EndReason::Settled: return "more would not change the answer";
  }
  return "";
}

class Recording::State {
 public:
  explicit State(const RecordingPlan& plan)
      : plan_(plan),
        guard_({.cap = plan.max_overhead, .asked_hz = plan.hz, .duration_ns = plan.duration_ns}),
        modules_({.cache_folder = plan.cache_folder,
                  .may_ask_debuginfod = plan.may_ask_debuginfod,
                  .most_debug_bytes = most_debug_bytes(plan),
                  .largest_debug_file = most_debug_bytes(plan)}),
        attachments_(plan_),
        costs_(modules_.first_looks(), plan.is_one_of_several),
        sums_(plan_, value_names(plan.kind).weight_unit == "nanoseconds"),
        times_({.duration_ns = plan.duration_ns, .is_for_good = plan.is_one_of_several, .tells_phases = plan.tells_phases}) {
  }

  Result<> open();
  Result<> start();
  EndReason step(int timeout_ms);
  Profile take_window();
  Profile so_far();
  void ask_rate(double hz);
  Profile finish();
  double elapsed_seconds() const {
    return static_cast<double>(clock_.since_begin_ns(clock_ns(CLOCK_MONOTONIC))) / kNsPerSecond;
  }

  RecordingPlan plan_;
  budget::OverheadGuard guard_;
  native::CodeModules modules_;
  Attachments attachments_;
  PublishedContexts contexts_;
  std::optional<linux::ThreadPriority> priority_;
  std::optional<linux::SignalWatch> signals_;
  std::optional<RecordedCommand> command_;
  std::unique_ptr<TargetProcesses> target_;
  std::unique_ptr<native::SampleSource> source_;
  std::unique_ptr<native::StackCollector> collector_;
  Provenance provenance_;
  RecordingUse use_;
  std::vector<std::string> notes_;

 private:
  EndReason end_reason(uint64_t now);
  EndReason on_signal(const linux::SignalWatch::Taken& signal);
  void wait(int timeout_ms);
  void keep_budget(uint64_t now);
  void tell_rate(double hz);
  void spare_covered();
  void hand_over_to_runtimes();
  void note_ended_threads();
  void keep_parts(uint64_t now);
  void begin_window(uint64_t at_ns);
  void begin_window_again();
  void update_use();
  budget::OverheadReading reading() const;
  Profile build(bool is_last);
  Profile build_on_the_way();
  CountedTime counted();

  std::map<std::string, uint64_t> told_losses_;  // of windows before this one
  RecordingCosts costs_;
  WindowSums sums_;
  std::vector<OwnProfile> own_;  // what runtimes handed over of the present window
  WindowClock clock_;
  LookTimes times_;
  int signals_seen_ = 0;
};

Result<> Recording::State::open() {
  undo_traces(plan_.trace_folder);
  if (!plan_.is_one_of_several) signals_.emplace(TRY(linux::SignalWatch::create()));
  std::unique_ptr<preload::SharedSpace> space = space_for_command(plan_);
  if (const auto* command = std::get_if<CommandTarget>(&plan_.target))
    command_.emplace(TRY(RecordedCommand::create(plan_, *command, space.get())));
  // Ahead of a busy target, or rings run over; what we may use is bounded all the same. After the command was made: it keeps
  // its own.
  priority_.emplace(kPriority);
  target_ = TRY(TargetProcesses::find(plan_.target, command_ ? command_->pid() : 0));
  source_ = TRY(choose_source(plan_, *target_, period_of(guard_.first_hz()), std::move(space), notes_));
  if (command_ && source_->tier() == "signal") command_->take_space();
  collector_ = std::make_unique<native::StackCollector>(*source_, modules_);
  collector_->set_reader_finder(&attachments_);
  collector_->set_context_finder(&contexts_);
  if (plan_.keeps_times) collector_->keep_times();
  attachments_.set_tier(source_->tier(), source_->can_walk());
  sums_.set_tier(source_->tier());
  tell_rate(guard_.first_hz());
  for (const pid_t pid : target_->pids()) TRY(source_->add_process(pid));
  if (!command_)
    for (const pid_t pid : target_->pids()) collector_->look_at(pid, clock_ns(CLOCK_MONOTONIC));
  attachments_.settle(kAttachPatience);
  spare_covered();
  if (is_of_runtimes(plan_.kind) && !attachments_.has_recordings())
    return fail(ErrorCode::Unsupported, "no runtime of the target records " + plan_.kind.text() + " of itself",
                "it works for Java with async-profiler: see `atys doctor java`; else record " +
                    profile::listed_kinds(is_of_any_process, " or "));
  for (std::string& note : attachments_.take_notes()) notes_.push_back(std::move(note));
  return {};
}

// Stacks that nobody will look at are not taken.
void Recording::State::spare_covered() {
  for (const pid_t pid : attachments_.take_covered()) source_->set_stack_mode(pid, native::StackMode::Without);
}

Result<> Recording::State::start() {
  costs_.begin_sampling();
  TRY(source_->start());
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  clock_.begin(now, clock_ns(CLOCK_REALTIME));
  times_.begin(now);
  attachments_.begin_window(now);
  if (plan_.tells_phases) collector_->begin_part(clock_.window_began_unix_ns());
  for (const pid_t pid : target_->pids()) {
    if (!command_) provenance_.note_process(pid);
    sums_.add(pid);
  }
  if (command_) TRY(command_->begin());
  return {};
}

// Until something comes, or it is time to look. Whatever comes early calls for an early look at what it costs, and an end of
// the target for one at the target.
void Recording::State::wait(int timeout_ms) {
  std::vector<pollfd> fds;
  target_->add_wakeups(fds);
  const size_t of_target = fds.size();
  if (signals_) fds.push_back({signals_->fd(), POLLIN, 0});
  if (command_) fds.push_back({command_->pidfd(), POLLIN, 0});
  if (plan_.wake_fd >= 0) fds.push_back({plan_.wake_fd, POLLIN, 0});
  fds.push_back({attachments_.wakeup_fd(), POLLIN, 0});
  source_->add_wakeups(fds);
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const uint64_t until_ns = times_.next(now, source_->may_wait(), source_->is_learning());
  timeout_ms =
      static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(timeout_ms), (until_ns - now + 999'999) / 1'000'000));
  if (::poll(fds.data(), fds.size(), timeout_ms) <= 0) return;
  times_.on_wakeup();
  for (size_t i = 0; i < of_target; ++i)
    if (fds[i].revents != 0) times_.on_target_wakeup();
}

EndReason Recording::State::step(int timeout_ms) {
  wait(timeout_ms);
  source_->collect(*collector_);
  for (const pid_t pid : collector_->take_new_pids()) {
    provenance_.note_process(pid);
    sums_.add_seen(pid);
    if (command_) command_->note_process(pid);
  }
  hand_over_to_runtimes();
  note_ended_threads();
  keep_parts(clock_ns(CLOCK_MONOTONIC));
  return end_reason(clock_ns(CLOCK_MONOTONIC));
}

// Of threads whose runtime samples them from now on, what was counted natively so far stays as it is.
void Recording::State::hand_over_to_runtimes() {
  const auto begun = attachments_.take_begun(clock_ns(CLOCK_MONOTONIC));
  if (begun.empty()) return;
  source_->collect(*collector_);
  source_->collect_counts(*collector_);
  for (const pid_t pid : begun) attachments_.keep_before(pid, collector_->values_of(pid));
  spare_covered();
}

EndReason Recording::State::end_reason(uint64_t now) {
  if (times_.is_cost_due(now)) keep_budget(now);
  if (const auto signal = signals_ ? signals_->take() : linux::SignalWatch::Taken{}; signal.number != 0)
    if (const EndReason reason = on_signal(signal); reason != EndReason::Running) return reason;
  if (command_ && command_->has_ended()) attachments_.end_window(now);  // its account is gone with it
  if (command_ && command_->look_for_exit() >= 0) return EndReason::TargetEnded;
  if (times_.is_over(now)) return EndReason::Duration;
  if (plan_.max_samples != 0 && source_->totals().is_limit_reached) return EndReason::Samples;
  if (times_.is_target_due(now)) {
    times_.looked_at_target(now);
    for (const pid_t pid : target_->look_again()) {
      (void)source_->add_process(pid);
      sums_.add(pid);
    }
    spare_covered();
    if (target_->is_gone()) return EndReason::TargetEnded;
  }
  return EndReason::Running;
}

void Recording::State::keep_parts(uint64_t now) {
  if (!times_.is_part_due(now)) return;
  source_->collect_counts(*collector_);
  times_.began_part(now, collector_->begin_part(static_cast<int64_t>(clock_ns(CLOCK_REALTIME))));
}

void Recording::State::note_ended_threads() {
  for (const native::EndedThread& thread : collector_->take_ended_threads()) {
    attachments_.note_end(thread);
    sums_.note_end(thread);
  }
}

// The command is told, and its end is ours; a terminal has told it already. Whoever asks twice means us.
EndReason Recording::State::on_signal(const linux::SignalWatch::Taken& signal) {
  ++signals_seen_;
  if (!command_ || signals_seen_ > 1) return EndReason::Interrupted;
  if (!signal.is_of_terminal) command_->send_signal(signal.number);
  return EndReason::Running;
}

budget::OverheadReading Recording::State::reading() const {
  const native::SourceTotals totals = source_->totals();
  return {.elapsed_ns = clock_.since_begin_ns(clock_ns(CLOCK_MONOTONIC)),
          .own_cpu_ns = costs_.sampling_ns(),
          .kernel_cpu_ns = totals.kernel_ns,
          .target_cpu_ns = totals.weight,
          .samples = totals.samples};
}

void Recording::State::keep_budget(uint64_t now) {
  const double before = guard_.grants().back().hz;
  const budget::OverheadReading read = reading();
  const double hz = guard_.update(read);
  if (hz != before) (void)source_->set_period(period_of(hz));
  tell_rate(hz);
  const bool is_far = source_->may_wait() && guard_.grants_all() &&
                      guard_.recent_overhead() < kFarBelow * plan_.max_overhead &&
                      guard_.overhead(read) < kBelow * plan_.max_overhead;
  times_.looked_at_cost(now, is_far);
}

// What the guard takes back, runtimes that sample themselves have to give back too.
void Recording::State::tell_rate(double hz) { attachments_.set_rate(hz, clock_ns(CLOCK_MONOTONIC)); }

void Recording::State::update_use() {
  const budget::OverheadReading now = reading();
  use_.elapsed_ns = now.elapsed_ns;
  use_.samples = now.samples;
  use_.setup_cpu_ns = costs_.setup_ns();
  use_.own_cpu_ns = now.own_cpu_ns;
  use_.first_looks_cpu_ns = costs_.first_looks_ns();
  use_.kernel_cpu_ns = now.kernel_cpu_ns;
  use_.target_cpu_ns = now.target_cpu_ns;
  use_.overhead = guard_.overhead(now);
  use_.grants = guard_.grants();
  note_ended_threads();
  attachments_.end_window(clock_.at(use_.elapsed_ns));
}

Profile Recording::State::take_window() {
  source_->collect(*collector_);
  source_->collect_counts(*collector_);
  update_use();
  Profile profile = build_on_the_way();
  for (const auto& [reason, count] : source_->totals().losses) told_losses_[reason] = count;
  collector_->forget_values();
  own_.clear();
  if (plan_.is_one_of_several) modules_.forget_sections();
  // What came while names were given is of the next window.
  begin_window(clock_.at(use_.elapsed_ns));
  attachments_.begin_next_window(clock_.window_began_ns());
  sums_.next_window(source_->totals());
  return profile;
}

Profile Recording::State::so_far() {
  source_->collect(*collector_);
  source_->collect_counts(*collector_);
  update_use();
  return build_on_the_way();
}

void Recording::State::ask_rate(double hz) {
  const double before = guard_.grants().back().hz;
  const double granted = guard_.ask(clock_.since_begin_ns(clock_ns(CLOCK_MONOTONIC)), hz);
  if (granted == before) return;
  if (granted > before) times_.on_higher_rate(clock_ns(CLOCK_MONOTONIC));
  (void)source_->set_period(period_of(granted));
  tell_rate(granted);
  if (granted > before && clock_.since_opened_ns(clock_ns(CLOCK_MONOTONIC)) < period_of(before)) begin_window_again();
}

// A sample that came between two windows still stands for the long time between samples at the rate before; in a window at a
// high rate it would count as much as hundreds.
void Recording::State::begin_window_again() {
  source_->collect(*collector_);
  source_->collect_counts(*collector_);
  collector_->forget_values();
  begin_window(clock_ns(CLOCK_MONOTONIC));
  attachments_.begin_window(clock_.window_began_ns());
  sums_.begin_again(source_->totals());
}

void Recording::State::begin_window(uint64_t at_ns) {
  clock_.begin_window(at_ns, clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME));
}

Profile Recording::State::finish() {
  source_->stop();
  source_->collect(*collector_);
  source_->collect_counts(*collector_);
  update_use();
  const budget::OverheadReading last = reading();
  use_.overhead = guard_.overhead(last);
  Profile profile;
  {
    const RecordingCosts::Naming naming(costs_);
    profile = build(true);
    for (std::string& note : attachments_.take_notes()) notes_.push_back(std::move(note));
    modules_.save_lines();
    provenance_.describe_files(modules_, profile);
  }
  use_.finish_cpu_ns = costs_.naming_ns();
  use_.peak_bytes = peak_bytes();
  describe_use(plan_, use_, profile);
  return profile;
}

CountedTime Recording::State::counted() {
  return sums_.look(source_->totals(), *collector_, clock_.window_ns(use_.elapsed_ns),
                    command_ ? command_->used_cpu_ns() : std::nullopt);
}

// Giving names is no part of sampling.
Profile Recording::State::build_on_the_way() {
  const RecordingCosts::Naming naming(costs_);
  return build(false);
}

Profile Recording::State::build(bool is_last) {
  Profile profile;
  const CountedTime sums = counted();
  attachments_.before_naming();
  add_own(attachments_.take_profiles(is_last), own_);
  add_recorded_samples(*collector_, modules_, own_, sums, value_names(plan_.kind), plan_, profile);
  for (const auto& [name, processes] : attachments_.runtimes())
    profile.add_fact("runtime", name + ": " + std::to_string(processes) + (processes == 1 ? " process" : " processes"));
  profile.header.time_ns = clock_.window_began_unix_ns();
  profile.header.duration_ns = static_cast<int64_t>(clock_.window_ns(use_.elapsed_ns));
  profile.header.period_type = profile.value_types()[1];
  profile.header.period = sample_period(plan_.kind, period_of(guard_.grants().back().hz));
  const native::SourceTotals totals = source_->totals();
  for (const auto& [reason, count] : totals.losses)
    if (const auto told = told_losses_.find(reason); count > (told == told_losses_.end() ? 0 : told->second))
      profile.add_loss(reason, count - (told == told_losses_.end() ? 0 : told->second));
  for (const auto& [name, figure] : totals.figures) profile.add_fact(name, std::to_string(figure));
  describe_recording(plan_, std::string(source_->tier()), profile);
  provenance_.describe_processes(profile);
  return profile;
}

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::~Recording() = default;

Result<std::unique_ptr<Recording>> Recording::open(const RecordingPlan& plan) {
  auto state = std::make_unique<State>(plan);
  TRY(state->open());
  return std::unique_ptr<Recording>(new Recording(std::move(state)));
}

Result<> Recording::start() { return state_->start(); }
EndReason Recording::step(int timeout_ms) { return state_->step(timeout_ms); }
Profile Recording::so_far() { return state_->so_far(); }
void Recording::ask_rate(double hz) { state_->ask_rate(hz); }
double Recording::target_cpu_seconds() const { return static_cast<double>(state_->source_->totals().weight) / kNsPerSecond; }
std::vector<pid_t> Recording::processes() const { return state_->provenance_.processes(); }
Profile Recording::take_window() { return state_->take_window(); }
Profile Recording::finish() { return state_->finish(); }
void Recording::end_command() {
  if (state_->command_) state_->command_->send_signal(SIGTERM);
}
pid_t Recording::command_pid() const { return state_->command_ ? state_->command_->pid() : 0; }
int Recording::wait_command(int timeout_ms) { return state_->command_ ? state_->command_->wait_for_exit(timeout_ms) : -1; }
const RecordingUse& Recording::use() const { return state_->use_; }
double Recording::elapsed_seconds() const { return state_->elapsed_seconds(); }
double Recording::samples() const { return static_cast<double>(state_->source_->totals().samples); }
std::string Recording::tier() const { return std::string(state_->source_->tier()); }
int Recording::exit_status() const { return state_->command_ ? state_->command_->exit_status() : -1; }
const std::vector<std::string>& Recording::notes() const { return state_->notes_; }

}  // namespace atys::capture
