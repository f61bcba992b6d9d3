// SPDX-License-Identifier: Apache-2.0
#include "verbs/recording/adaptive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linux/run_delay.h"
#include "profile/kinds.h"
#include "reduce/merge.h"
#include "reduce/next_pass.h"

namespace atys::verbs {

namespace {

constexpr int kStepMs = 100;
constexpr double kCoarseHz = 99;
constexpr double kFinest = 10;  // times the rate asked for
constexpr double kWatchHz = 29;
constexpr double kShortestWatch = 2;  // seconds
constexpr double kLongPass = 2;       // seconds; such a pass is looked at in its middle as well
constexpr double kTooShort = 0.2;     // seconds; what is left of a budget that is as good as used
constexpr size_t kMostLooks = 24;     // each gives names to everything that is new
constexpr size_t kLastLooks = 4;      // kept for the end of the budget

StepKind step_of(reduce::PassKind kind) {
  switch (kind) {
    case reduce::PassKind::Stop: return StepKind::Stop;
    case reduce::PassKind::Longer: return StepKind::Longer;
    case reduce::PassKind::Finer: return StepKind::Finer;
    case reduce::PassKind::Lines: return StepKind::Lines;
    case reduce::PassKind::Waits: return StepKind::Waits;
  }
  return StepKind::Stop;
}

// A recording and what its tables were from look to look.
struct Watched {
  struct Look {
    double seconds = 0;
    reduce::Top top;
  };
  std::unique_ptr<capture::Recording> recording;
  std::vector<Look> looks;

  void look() {
    const Profile profile = recording->so_far();
    looks.push_back({recording->elapsed_seconds(),
                     reduce::top(profile, profile.default_value_column(), {reduce::DimensionKind::Function, {}})});
  }
  const Look& nearest(double seconds) const {
    return *std::ranges::min_element(looks, {}, [&](const Look& look) { return std::abs(look.seconds - seconds); });
  }
};

class AdaptiveCapture {
 public:
  AdaptiveCapture(const CaptureRequest& request, const capture::RecordingPlan& plan) : request_(request), plan_(plan) {}

  Result<AdaptiveRun> run();

 private:
  double elapsed() const { return first_.recording->elapsed_seconds(); }
  bool is_command() const { return !request_.command.empty(); }
  double seconds_left() const;
  void begin(StepKind kind, double seconds, double hz, std::string why);
  capture::EndReason run_until(double seconds);
  reduce::NextPass decide();
  double ready_seconds() const;
  void follow(const reduce::NextPass& next);
  void watch_waits();
  Watched& latest() { return waits_.recording ? waits_ : first_; }
  capture::Recorded finish(capture::EndReason reason);

  const CaptureRequest& request_;
  const capture::RecordingPlan& plan_;
  Watched first_, waits_;
  bool has_tried_waits_ = false;
  double pass_end_ = 0;
  uint64_t ready_before_ns_ = 0;  // of processes that were there when it began
  std::vector<PlanStep> steps_;
  std::vector<std::string> notes_;
  LeftCommand left_;
};

// Of a command nobody knows when it ends: it is taken to run for as long again as it has.
double AdaptiveCapture::seconds_left() const {
  if (plan_.duration_ns == 0) return std::max(2.0, 2 * elapsed());
  return std::max(0.0, static_cast<double>(plan_.duration_ns) / 1e9 - elapsed());
}

void AdaptiveCapture::begin(StepKind kind, double seconds, double hz, std::string why) {
  const double now = steps_.empty() ? 0 : elapsed();
  if (!steps_.empty()) steps_.back().seconds = now - steps_.back().from_seconds;
  const double samples = first_.looks.empty() ? 0 : first_.looks.back().top.samples;
  steps_.push_back({.kind = kind, .from_seconds = now, .seconds = 0, .hz = hz, .samples = samples, .why = std::move(why)});
  pass_end_ = now + seconds;
}

capture::EndReason AdaptiveCapture::run_until(double seconds) {
  while (elapsed() < seconds) {
    const int wait = std::clamp(static_cast<int>((seconds - elapsed()) * 1000) + 1, 1, kStepMs);
    const capture::EndReason reason = first_.recording->step(waits_.recording ? wait / 2 + 1 : wait);
    if (reason != capture::EndReason::Running) return reason;
    if (waits_.recording) (void)waits_.recording->step(wait / 2 + 1);
    if (request_.on_progress) request_.on_progress(elapsed(), first_.recording->samples());
  }
  return capture::EndReason::Running;
}

uint64_t ready_ns(const std::vector<pid_t>& pids) {
  uint64_t sum = 0;
  for (const pid_t pid : pids) sum += linux::run_delay_ns(pid);
  return sum;
}

double AdaptiveCapture::ready_seconds() const {
  const uint64_t now = ready_ns(first_.recording->processes());
  return static_cast<double>(now - std::min(now, ready_before_ns_)) / 1e9;
}

reduce::NextPass AdaptiveCapture::decide() {
  Watched& watched = latest();
  const bool is_of_waits = waits_.recording != nullptr || !plan_.kind.row->has_rate;
  const double seconds = watched.recording->elapsed_seconds();
  const reduce::PassEvidence evidence{
      .whole = watched.looks.back().top,
      .first_half = watched.nearest(seconds / 2).top,
      .seconds = seconds,
      .target_cpu_seconds = first_.recording->target_cpu_seconds() * seconds / std::max(elapsed(), 1e-9),
      .ready_seconds = ready_seconds(),
      .hz = first_.recording->use().grants.back().hz,
      .highest_hz = plan_.hz * kFinest,
      .seconds_left = seconds_left(),
      .can_see_waits = plan_.kind.row->is_cpu_time() && !has_tried_waits_,
      .is_of_waits = is_of_waits};
  reduce::NextPass next = reduce::next_pass(evidence);
  // Looks are not free: late ones are far apart.
  const size_t looks = first_.looks.size() + waits_.looks.size();
  if (looks + kLastLooks > kMostLooks && next.seconds > 0) next.seconds = std::max(next.seconds, seconds_left() / 2);
  return next;
}

void AdaptiveCapture::watch_waits() {
  has_tried_waits_ = true;
  capture::RecordingPlan plan = plan_;
  plan.kind = {&profile::waiting_kind()};
  plan.tells_phases = false;
  if (const double left = seconds_left(); plan_.duration_ns != 0) plan.duration_ns = static_cast<uint64_t>(left * 1e9);
  if (const std::vector<pid_t> pids = first_.recording->processes(); is_command())
    plan.target = capture::ProcessTarget{pids};
  auto opened = capture::Recording::open(plan);
  if (opened.ok())
    if (const auto started = (*opened)->start(); !started.ok()) opened = started.error();
  if (opened.ok()) {
    waits_.recording = opened.take();
  } else {
    notes_.push_back("where it waits could not be recorded: " + opened.error().message);
  }
}

void AdaptiveCapture::follow(const reduce::NextPass& next) {
  if (next.kind == reduce::PassKind::Waits) {
    begin(step_of(next.kind), std::min(1.0, next.seconds), next.hz, next.why);
    watch_waits();
    if (waits_.recording) first_.recording->ask_rate(std::min(kWatchHz, plan_.hz));
    return;
  }
  begin(step_of(next.kind), next.seconds, next.hz, next.why);
  first_.recording->ask_rate(next.hz);
}

Result<AdaptiveRun> AdaptiveCapture::run() {
  capture::RecordingPlan coarse = plan_;
  coarse.hz = std::min(plan_.hz, kCoarseHz);
  first_.recording = TRY(capture::Recording::open(coarse));
  TRY(first_.recording->start());
  if (!is_command()) ready_before_ns_ = ready_ns(first_.recording->processes());
  const double budget = plan_.duration_ns == 0 ? 10 : static_cast<double>(plan_.duration_ns) / 1e9;
  begin(StepKind::Coarse, std::clamp(budget / 10, 0.2, 1.0), coarse.hz, "a first look");
  capture::EndReason reason = capture::EndReason::Running;
  while (true) {
    const double middle = (steps_.back().from_seconds + pass_end_) / 2;
    const bool looks_twice = first_.looks.empty() || pass_end_ - elapsed() > kLongPass;
    if (looks_twice && (reason = run_until(middle)) == capture::EndReason::Running) latest().look();
    if (reason == capture::EndReason::Running) reason = run_until(pass_end_);
    if (reason != capture::EndReason::Running) break;
    latest().look();
    const reduce::NextPass next = decide();
    if (next.kind != reduce::PassKind::Stop) {
      follow(next);
    } else if (is_command() && seconds_left() > 0) {
      first_.recording->ask_rate(std::min(kWatchHz, plan_.hz));
      begin(StepKind::Watch, std::max(kShortestWatch, elapsed() / 2), std::min(kWatchHz, plan_.hz), next.why);
    } else {
      begin(StepKind::Stop, 0, 0, next.why);
      reason = seconds_left() < kTooShort ? capture::EndReason::Duration : capture::EndReason::Settled;
      break;
    }
  }
  if (steps_.back().kind != StepKind::Stop) begin(StepKind::Stop, 0, 0, capture::to_string(reason));
  capture::Recorded recorded = finish(reason);
  return AdaptiveRun{std::move(recorded), std::move(left_), std::move(steps_)};
}

capture::Recorded AdaptiveCapture::finish(capture::EndReason reason) {
  capture::Recorded recorded;
  recorded.reason = reason;
  recorded.profile = first_.recording->finish();
  recorded.use = first_.recording->use();
  recorded.tier = first_.recording->tier();
  recorded.notes = first_.recording->notes();
  recorded.notes.insert(recorded.notes.end(), notes_.begin(), notes_.end());
  std::optional<Profile> waits;
  if (waits_.recording) waits = waits_.recording->finish();
  left_ = leave_command(*first_.recording, request_.stop_command);
  recorded.exit_status = left_.exit_status;
  if (!waits) return recorded;
  recorded.use.samples += waits_.recording->use().samples;
  recorded.use.kernel_cpu_ns += waits_.recording->use().kernel_cpu_ns;
  recorded.use.finish_cpu_ns += waits_.recording->use().finish_cpu_ns;
  const std::string id(recorded.profile.text(recorded.profile.header.id));
  const int64_t duration_ns = recorded.profile.header.duration_ns;
  recorded.profile = reduce::merge(recorded.profile, *waits);
  // Beside each other, not one after the other.
  recorded.profile.header.duration_ns = duration_ns;
  recorded.profile.header.id = recorded.profile.strings.intern(id);
  recorded.profile.header.default_value_type = recorded.profile.strings.intern(profile::waiting_kind().columns.weight);
  return recorded;
}

}  // namespace

const char* to_string(StepKind kind) {
  switch (kind) {
    case StepKind::Coarse: return "coarse";
    case StepKind::Longer: return "longer";
    case StepKind::Finer: return "finer";
    case StepKind::Lines: return "lines";
    case StepKind::Waits: return "waits";
    case StepKind::Watch: return "watch";
    case StepKind::Stop: return "stop";
  }
  return "";
}

Result<AdaptiveRun> run_adaptive(const CaptureRequest& request, const capture::RecordingPlan& plan) {
  return AdaptiveCapture(request, plan).run();
}

}  // namespace atys::verbs
