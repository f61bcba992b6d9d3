// SPDX-License-Identifier: Apache-2.0
#include "verbs/comparison/profiled_blocks.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error_text.h"
#include "capture/recording.h"
#include "reduce/anonymous.h"
#include "reduce/form_top.h"
#include "reduce/merge.h"
#include "store/library.h"
#include "verbs/comparison/compared_runs.h"
#include "verbs/profiles/output.h"
#include "verbs/recording/own_priority.h"
#include "verbs/view/own_code_rules.h"

namespace atys::verbs {

namespace {

constexpr double kCpuForOneNs = 300'000'000;  // a profile of less has too few samples to be a replicate
constexpr double kSamplesForOne = 2000;
constexpr double kHighestHz = 4999;
constexpr double kLowestHz = 99;
constexpr size_t kMostRepeats = 50;
constexpr double kMaxOverhead = 0.05;  // these runs are not timed
constexpr int kStepMs = 250;
constexpr size_t kHeadroomRows = 3;
constexpr size_t kFewestReplicates = 2;
constexpr size_t kMostKeptBytes = size_t{1} << 30;  // of profiles in memory: no more are taken then

// The command with its streams shut, so often; its own exit status where it runs once.
std::vector<std::string> quiet(const std::vector<std::string>& command, size_t repeats) {
  std::vector<std::string> wrapped{"/bin/sh", "-c"};
  if (repeats == 1) {
    wrapped.insert(wrapped.end(), {"exec \"$@\" </dev/null >/dev/null 2>&1", "sh"});
  } else {
    wrapped.insert(wrapped.end(), {"n=$1; shift; while [ $n -gt 0 ]; do \"$@\"; n=$((n-1)); done </dev/null >/dev/null 2>&1",
                                   "sh", std::to_string(repeats)});
  }
  wrapped.insert(wrapped.end(), command.begin(), command.end());
  return wrapped;
}

class Profiling {
 public:
  Profiling(const CommandPair& commands, const CompareRequest& request, const TimingLimits& limits, reduce::Random& random,
            CompareAnswer& answer)
      : commands_(commands), request_(request), limits_(limits), random_(random), answer_(answer), runs_(request.maps) {}

  Result<> run() {
    by_ = TRY(reduce::parse_dimension(request_.view.by));
    answer_.by = reduce::to_string(by_);
    answer_.measure = request_.measure;
    const double cpu_ns = std::max(1e5, (answer_.a.cpu_ns + answer_.b.cpu_ns) / 2);
    answer_.repeats =
        static_cast<size_t>(std::clamp(std::ceil(kCpuForOneNs / cpu_ns), 1.0, static_cast<double>(kMostRepeats)));
    hz_ = std::clamp(kSamplesForOne / (cpu_ns * static_cast<double>(answer_.repeats) / 1e9), kLowestHz, kHighestHz);
    for (size_t i = 0; i < request_.profile_runs && TRY(block()); ++i) {
    }
    if (answer_.profiled_runs < kFewestReplicates) {
      if (answer_.why_no_profile.empty()) answer_.why_no_profile = "the time was used up";
      return {};
    }
    // Profiles that have no such value type are no reason to throw the times away.
    if (const auto done = compare(); !done.ok()) {
      answer_.why_no_profile = error_text(done.error());
      answer_.profiled_runs = 0;
      return {};
    }
    return keep();
  }

 private:
  // False when there is no use in another.
  Result<bool> block() {
    const bool b_first = random_.coin();
    if (!TRY(one(b_first)) || !TRY(one(!b_first))) return false;
    answer_.profiled_runs = std::min(runs_.size(reduce::Side::Base), runs_.size(reduce::Side::Fresh));
    if (runs_.memory_bytes() > kMostKeptBytes) return false;
    const CompareProgress progress{
        .phase = "profiling", .done = answer_.profiled_runs, .most = request_.profile_runs, .seconds = 0};
    return !limits_.on_progress || limits_.on_progress(progress);
  }

  Result<bool> one(bool is_b) {
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const double expected_ns = 1.5 * std::max(answer_.a.wall_ns, answer_.b.wall_ns) * static_cast<double>(answer_.repeats);
    if (static_cast<double>(now) + expected_ns >= static_cast<double>(limits_.deadline_ns)) return false;
    capture::RecordingPlan plan;
    plan.target = capture::CommandTarget{quiet(is_b ? commands_.b() : commands_.a(), answer_.repeats)};
    plan.hz = hz_;
    plan.duration_ns = limits_.deadline_ns - now;
    plan.max_overhead = kMaxOverhead;
    plan.cache_folder = store::Library::open_default().home() + "/cache";
    plan.trace_folder = store::Library::open_default().home() + "/traces";
    plan.may_ask_debuginfod = false;
    const OwnPriority kept;  // a recording raises it, and what we start next would inherit it
    auto recording = capture::Recording::open(plan);
    if (!recording.ok() || !(*recording)->start().ok()) {
      answer_.why_no_profile = recording.ok() ? "the recording did not start" : recording.error().message;
      return false;
    }
    capture::EndReason reason = capture::EndReason::Running;
    while (reason == capture::EndReason::Running) reason = (*recording)->step(kStepMs);
    if (reason != capture::EndReason::TargetEnded) {
      (*recording)->end_command();
      return false;
    }
    take((*recording)->finish(), is_b);
    return true;
  }

  void take(Profile profile, bool is_b) {
    (is_b ? merged_b_ : merged_a_).add(profile);
    LoadedProfile loaded{reduce::name_anonymous_functions(std::move(profile)), {}, {}};
    runs_.add(std::move(loaded), is_b ? reduce::Side::Fresh : reduce::Side::Base);
  }

  Result<std::vector<reduce::Top>> tops_of(reduce::Side side) {
    std::vector<reduce::Top> tops;
    for (size_t i = 0; i < answer_.profiled_runs; ++i) {
      const ViewedProfile viewed = TRY(runs_.take(i, request_.view, side));
      answer_.unit = viewed.loaded.profile.text(viewed.loaded.profile.value_types()[viewed.column].unit);
      tops.push_back(reduce::top_in_form(viewed.loaded.profile, viewed.column, request_.view.form, by_, *own_code_));
    }
    return tops;
  }

  Result<> compare() {
    runs_.settle();
    own_code_ = TRY(own_code_of(request_.view.own_code));
    runs_.add_other_places(*own_code_);
    const std::vector<reduce::Top> tops_a = TRY(tops_of(reduce::Side::Base));
    const std::vector<reduce::Top> tops_b = TRY(tops_of(reduce::Side::Fresh));
    const std::vector<double> work(answer_.profiled_runs, static_cast<double>(answer_.repeats));
    reduce::DiffOptions options{.measure = request_.measure, .base_work = work, .fresh_work = work};
    options.least_difference = request_.least_difference;
    answer_.functions = reduce::diff(tops_a, tops_b, options);
    std::ranges::stable_sort(answer_.functions.rows,
                             [](const auto& a, const auto& b) { return a.significant > b.significant; });
    if (answer_.functions.times_more_needed > 1)
      answer_.more_runs_needed = static_cast<size_t>(
          std::ceil(static_cast<double>(answer_.profiled_runs) * (answer_.functions.times_more_needed - 1)));
    runs_.add_base_names(answer_.functions.rows);
    answer_.matching = runs_.report();
    fill_headroom();
    return {};
  }

  // What of B is hottest; a function that costs nothing any more saves its own share and no more.
  void fill_headroom() {
    profile_b_ = merged_b_.finish();
    const Profile named = runs_.renamed(reduce::name_anonymous_functions(profile_b_), reduce::Side::Fresh);
    reduce::Top top = reduce::top_in_form(named, named.default_value_column(), request_.view.form, by_, *own_code_);
    std::ranges::stable_sort(top.rows, std::greater<>(), &reduce::TopRow::self);
    for (size_t i = 0; i < std::min(kHeadroomRows, top.rows.size()); ++i) {
      const double share = top.value_total > 0 ? top.rows[i].self / top.value_total : 0;
      answer_.headroom.push_back({top.rows[i].entity, share, 1 - share});
    }
  }

  Result<> keep() {
    if (!request_.keep_profiles) return {};
    answer_.a.profile = TRY(write_output(merged_a_.finish(), {})).id;
    answer_.b.profile = TRY(write_output(profile_b_, {})).id;
    return {};
  }

  const CommandPair& commands_;
  const CompareRequest& request_;
  const TimingLimits& limits_;
  reduce::Random& random_;
  CompareAnswer& answer_;
  reduce::Dimension by_;
  std::optional<reduce::OwnCode> own_code_;
  double hz_ = kLowestHz;
  ComparedRuns runs_;
  reduce::Merger merged_a_, merged_b_;
  Profile profile_b_;
};

}  // namespace

Result<> profile_blocks(const CommandPair& commands, const CompareRequest& request, const TimingLimits& limits,
                        reduce::Random& random, CompareAnswer& answer) {
  return Profiling(commands, request, limits, random, answer).run();
}

}  // namespace atys::verbs
