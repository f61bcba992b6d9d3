// SPDX-License-Identifier: Apache-2.0
#include "verbs/compare.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error_text.h"
#include "base/random.h"
#include "linux/signal_watch.h"
#include "reduce/paired_ratio.h"
#include "reduce/sequential.h"
#include "verbs/comparison/callgrind.h"
#include "verbs/comparison/profiled_blocks.h"
#include "verbs/comparison/timed_blocks.h"
#include "verbs/profiles/place_for_output.h"
#include "verbs/view/detail.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/shell_command.h"

namespace atys::verbs {

namespace {

constexpr double kShareForTiming = 0.7;  // of the time, where profiles are wanted as well
constexpr size_t kMostRuns = 10'000;

uint64_t drawn_seed() {
  uint32_t seed = 0;  // short, so that it can be typed again
  if (!fill_random(std::as_writable_bytes(std::span(&seed, 1)))) seed = static_cast<uint32_t>(clock_ns(CLOCK_MONOTONIC));
  return seed;
}

void fill_instructions(const CommandPair& commands, const CompareRequest& request, const TimedBlocks& blocks,
                       const TimingLimits& limits, Instructions& instructions) {
  if (blocks.a.instructions.size() == blocks.a.wall_ns.size() && !blocks.a.wall_ns.empty() &&
      blocks.b.instructions.size() == blocks.b.wall_ns.size()) {
    instructions.source = "processor";
    instructions.a = reduce::median(blocks.a.instructions);
    instructions.b = reduce::median(blocks.b.instructions);
    return;
  }
  if (!request.instructions) {
    instructions.why_not = "the processor's counter cannot be used here; --instructions counts them by callgrind, slowly";
    return;
  }
  const linux::RunLimits run_limits{.deadline_ns = limits.deadline_ns, .stop_fd = limits.stop_fd};
  const auto a = count_instructions(commands.a(), run_limits);
  const auto b = a.ok() ? count_instructions(commands.b(), run_limits) : a;
  if (!b.ok()) {
    instructions.why_not = error_text(b.error());
    return;
  }
  instructions.source = "callgrind";
  instructions.a = static_cast<double>(*a);
  instructions.b = static_cast<double>(*b);
}

bool is_decided(reduce::Verdict verdict) { return verdict == reduce::Verdict::Faster || verdict == reduce::Verdict::Slower; }

void add_notes(CompareAnswer& answer) {
  for (const auto& [side, name] : {std::pair{&answer.a, "A"}, std::pair{&answer.b, "B"}}) {
    if (side->failures > 0)
      answer.notes.push_back(std::string(name) + " failed in " + std::to_string(side->failures) + " of " +
                             std::to_string(side->runs) + " runs (status " + std::to_string(side->exit_status) +
                             "): there is no verdict");
    if (side->left_behind > 0)
      answer.notes.push_back(std::string(name) + " leaves processes behind; a run ends with the last of them");
  }
  if (answer.output == SeenOutput::Different)
    answer.notes.push_back("the outputs of A and B differ: they do not do the same");
  const reduce::Judgement& other = answer.metric == Metric::Cpu ? answer.wall : answer.cpu;
  if (is_decided(other.verdict) && is_decided(answer.verdict) && other.verdict != answer.verdict)
    answer.notes.push_back(std::string("by ") + (answer.metric == Metric::Cpu ? "wall" : "CPU") + " time it is " +
                           to_string(other.verdict) + ": the two do not agree");
  if (answer.instructions.source.empty() || answer.instructions.a <= 0) return;
  const double ratio = answer.instructions.b / answer.instructions.a;
  if (answer.verdict == reduce::Verdict::Faster && ratio > 1.01)
    answer.notes.push_back("faster, but with more instructions: layout, caching or waiting changed, not the work");
  if (answer.verdict == reduce::Verdict::Same && ratio < 0.98)
    answer.notes.push_back("fewer instructions, but no time gained");
}

void fit(const CompareRequest& request, CompareAnswer& answer) {
  std::vector<reduce::DiffRow>& rows = answer.functions.rows;
  View view = request.view;
  if (!view.top) view.top = 10;
  if (const auto bounds = bounds_of(view); bounds.ok()) answer.tokens = *bounds;  // checked before it began
  const size_t kept = std::min(rows.size(), rows_wanted(view));
  for (size_t i = kept; i < rows.size(); ++i) answer.omitted.percent += changed_percent(rows[i], answer);
  answer.omitted.rows = rows.size() - kept;
  rows.resize(kept);
}

void add_next(CompareAnswer& answer) {
  if (answer.b.profile.empty()) return;
  const std::string b = answer.b.profile.substr(0, 12);
  if (!answer.functions.rows.empty()) {
    View paths{.form = reduce::Form::Paths};
    paths.filter.focus = "^" + escape_for_pattern(answer.functions.rows.front().entity.name) + "$";
    answer.next.push_back({Question::Summary, {b}, std::move(paths)});
  }
  answer.next.push_back({Question::Summary, {b}, {.form = reduce::Form::Tree}});
}

}  // namespace

const char* to_string(Metric metric) { return metric == Metric::Cpu ? "cpu" : "wall"; }

Result<std::optional<Metric>> metric_of(const std::string& name) {
  if (name == "auto") return std::optional<Metric>();
  for (const Metric metric : {Metric::Wall, Metric::Cpu})
    if (name == to_string(metric)) return std::optional<Metric>(metric);
  return fail(ErrorCode::InvalidInput, "no metric is called '" + name + "'", "use auto, wall or cpu");
}

const char* to_string(CompareEnd end) {
  switch (end) {
    case CompareEnd::Running: return "running";
    case CompareEnd::Decided: return "it was decided";
    case CompareEnd::RunsUsedUp: return "the runs were used up";
    case CompareEnd::TimeUsedUp: return "the time was used up";
    case CompareEnd::Interrupted: return "it was interrupted";
  }
  return "";
}

const char* to_string(SeenOutput output) {
  switch (output) {
    case SeenOutput::Same: return "same";
    case SeenOutput::Different: return "different";
    case SeenOutput::Varies: return "varies";
  }
  return "";
}

const reduce::Judgement& decisive(const CompareAnswer& answer) {
  return answer.metric == Metric::Cpu ? answer.cpu : answer.wall;
}

Result<> check(const CompareRequest& request) {
  if (request.a.empty() || request.b.empty() || request.a[0].empty() || request.b[0].empty())
    return fail(ErrorCode::InvalidInput, "two commands are needed",
                "atys compare 'A' 'B', or atys compare -- A ARG… -- B ARG…");
  if (request.max_runs < reduce::kFewestPairs || request.max_runs > kMostRuns)
    return fail(ErrorCode::InvalidInput, "--max-runs must be from 7 to 10000", "fewer than 7 runs cannot decide anything");
  if (!(request.least_difference > 0 && request.least_difference < 1))
    return fail(ErrorCode::InvalidInput, "a threshold must be above 0 and below 100 %", "2% is the default");
  TRY(bounds_of(request.view));
  if (request.max_time_ns == 0) return fail(ErrorCode::InvalidInput, "--max-time must be above 0", "5m is the default");
  if (request.profile_runs == 1 || request.profile_runs > kMostRuns)
    return fail(ErrorCode::InvalidInput, "--profile-runs must be 0, or from 2 to 10000", "6 is the default");
  TRY(reduce::parse_dimension(request.view.by));
  return {};
}

Result<CompareAnswer> compare(const CompareRequest& request) {
  TRY(check(request));
  if (request.profile_runs > 0 && request.keep_profiles) TRY(check_place({}));
  const uint64_t started = clock_ns(CLOCK_MONOTONIC);
  CompareAnswer answer;
  answer.seed = request.seed.value_or(drawn_seed());
  answer.least_difference = request.least_difference;
  answer.a.command = text_of_command(request.a);
  answer.b.command = text_of_command(request.b);
  reduce::Random random(answer.seed);
  const CommandPair commands(request.a, request.b);
  {
    const linux::SignalWatch signals = TRY(linux::SignalWatch::create());
    const bool more_follows = request.profile_runs > 0 || request.instructions;
    const double timing_share = more_follows ? kShareForTiming : 1;
    TimingLimits limits{
        .deadline_ns = started + static_cast<uint64_t>(static_cast<double>(request.max_time_ns) * timing_share),
        .stop_fd = signals.fd(),
        .on_progress = request.on_progress};
    const TimedBlocks blocks = TRY(time_blocks(commands, request, limits, random, answer));
    limits.deadline_ns = started + request.max_time_ns;
    if (answer.ended == CompareEnd::Interrupted) {
      answer.why_no_profile = to_string(answer.ended);
    } else {
      fill_instructions(commands, request, blocks, limits, answer.instructions);
      if (request.profile_runs > 0)
        TRY(profile_blocks(commands, request, limits, random, answer));
      else
        answer.why_no_profile = "none was asked for";
    }
  }
  answer.elapsed_ns = clock_ns(CLOCK_MONOTONIC) - started;
  add_notes(answer);
  fit(request, answer);
  add_next(answer);
  return answer;
}

}  // namespace atys::verbs
