// SPDX-License-Identifier: Apache-2.0
#include "verbs/top.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "capture/recording.h"
#include "reduce/merge.h"
#include "verbs/recording/recording_plan.h"

namespace atys::verbs {

namespace {

using Clock = std::chrono::steady_clock;

// The functions of a stack, leaf first, those that were inlined too.
std::vector<std::string> functions_of(const Profile& profile, profile::StackId stack) {
  std::vector<std::string> names;
  for (const profile::FrameId frame : profile.stacks[stack]) {
    const auto lines = profile.lines[profile.frames[frame].lines];
    if (lines.empty()) names.push_back(profile::frame_name(profile, frame));
    for (const profile::Line& line : lines) names.emplace_back(profile::function_name(profile, line.function));
  }
  return names;
}

// What each caller of `function` adds to its total; the outermost call counts where it calls itself.
std::vector<CallerRow> callers_of(const Profile& profile, size_t column, const std::string& function) {
  std::map<std::string, double> found;
  double total = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const std::vector<std::string> names = functions_of(profile, profile.samples.stack(row));
    const auto outermost = std::find(names.rbegin(), names.rend(), function);
    if (outermost == names.rend()) continue;
    const auto value = static_cast<double>(profile.samples.value(row, column));
    found[outermost == names.rbegin() ? "(the root)" : *std::prev(outermost)] += value;
    total += value;
  }
  std::vector<CallerRow> rows;
  for (const auto& [name, value] : found) rows.push_back({name, value, total > 0 ? value * 100 / total : 0});
  std::stable_sort(rows.begin(), rows.end(), [](const CallerRow& a, const CallerRow& b) { return a.value > b.value; });
  return rows;
}

}  // namespace

class LiveTop::State {
 public:
  TopRequest request;
  std::unique_ptr<capture::Recording> recording;
  Clock::time_point window_end;
  capture::EndReason reason = capture::EndReason::Running;
  bool is_held = false;
  ViewedProfile latest;
  double hz = 0;
  double overhead_percent = 0;

  bool has_ended() const { return reason != capture::EndReason::Running; }

  void finish_window() {
    Profile profile = recording->take_window();
    window_end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.seconds));
    if (is_held) return;
    // What is left of a target that has ended may be a few samples, or none.
    const bool is_short = static_cast<double>(profile.header.duration_ns) < request.seconds * 1e9 / 2;
    if (has_ended() && request.joins_last && is_short && latest.loaded.profile.samples.size() > 0)
      profile = reduce::merge(latest.loaded.profile, profile);
    if (auto viewed = view_of({std::move(profile), "", ""}, {}); viewed.ok()) latest = viewed.take();
    if (!recording->use().grants.empty()) hz = recording->use().grants.back().hz;
    overhead_percent = recording->use().overhead * 100;
  }
};

LiveTop::LiveTop(std::unique_ptr<State> state) : state_(std::move(state)) {}
LiveTop::~LiveTop() = default;

Result<std::unique_ptr<LiveTop>> LiveTop::open(const TopRequest& request) {
  if (!(request.seconds >= 0.1 && request.seconds <= 3600))
    return fail(ErrorCode::InvalidInput, "a window must last between 0.1 s and an hour", "2s is the default");
  auto state = std::make_unique<State>();
  state->request = request;
  state->request.target.duration_ns = 0;
  capture::RecordingPlan plan = TRY(plan_of(state->request.target));
  plan.wake_fd = request.wake_fd;
  state->recording = TRY(capture::Recording::open(plan));
  TRY(state->recording->start());
  state->window_end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.seconds));
  return std::unique_ptr<LiveTop>(new LiveTop(std::move(state)));
}

bool LiveTop::step(int timeout_ms) {
  if (state_->has_ended()) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(state_->window_end - Clock::now()).count();
  const auto wait = static_cast<int>(std::clamp<int64_t>(left + 1, 0, timeout_ms));
  state_->reason = state_->recording->step(wait);
  if (!state_->has_ended() && Clock::now() < state_->window_end) return false;
  state_->finish_window();
  return true;
}

void LiveTop::hold(bool is_held) { state_->is_held = is_held; }
bool LiveTop::has_ended() const { return state_->has_ended(); }
bool LiveTop::was_interrupted() const { return state_->reason == capture::EndReason::Interrupted; }

int LiveTop::command_pid() const {
  const int pid = state_->recording->command_pid();
  return pid > 0 && state_->recording->wait_command(0) < 0 ? pid : 0;
}

Result<TopAnswer> LiveTop::window(const std::string& function, bool by_total) const {
  View view;
  view.top = state_->request.rows;
  TopAnswer answer;
  // Rows come by their own time; for the other order all are needed.
  if (by_total) view.top = SIZE_MAX;
  answer.summary = TRY(summarize(state_->latest, "-", view));
  if (by_total) {
    auto& rows = reduce::table_of(answer.summary.rows);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
    if (rows.size() > state_->request.rows) rows.resize(state_->request.rows);
  }
  answer.function = function;
  if (!function.empty()) answer.callers = callers_of(state_->latest.loaded.profile, state_->latest.column, function);
  answer.hz = state_->hz;
  answer.overhead_percent = state_->overhead_percent;
  answer.is_last = state_->has_ended();
  answer.by_total = by_total;
  return answer;
}

}  // namespace atys::verbs
