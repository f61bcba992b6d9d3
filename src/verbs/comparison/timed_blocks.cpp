// SPDX-License-Identifier: Apache-2.0
#include "verbs/comparison/timed_blocks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/utf8.h"
#include "reduce/paired_ratio.h"
#include "reduce/sequential.h"
#include "verbs/recording/own_priority.h"

namespace atys::verbs {

namespace {

constexpr double kOneCpu = 1.05;        // as many CPUs at once is still one
constexpr double kWaitsShare = 0.1;     // of wall time
constexpr double kWaitsNs = 2'000'000;  // starting and ending a process waits for this and that

double quantile(std::vector<double> values, double probability) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<size_t>(std::lround(probability * static_cast<double>(values.size() - 1)))];
}

double spread(const std::vector<double>& values) {
  const double middle = reduce::median(values);
  return middle == 0 ? 0 : (quantile(values, 0.84) - quantile(values, 0.16)) / 2 / middle;
}

size_t bytes_of(const std::vector<std::string>& command) {
  size_t bytes = 0;
  // The kernel copies the strings, the name of the program once more, and a pointer for each.
  for (const std::string& argument : command) bytes += argument.size() + 1 + sizeof(char*);
  return bytes + (command.empty() ? 0 : command[0].size());
}

bool computes(const RunColumns& side, std::string& why) {
  std::vector<double> waits;
  for (size_t i = 0; i < side.wall_ns.size(); ++i) {
    if (side.cpu_ns[i] > kOneCpu * side.wall_ns[i]) {
      why = "it uses more than one CPU";
      return false;
    }
    waits.push_back(side.wall_ns[i] - side.cpu_ns[i] - side.queue_ns[i]);
  }
  if (reduce::median(waits) <= std::max(kWaitsNs, kWaitsShare * reduce::median(side.wall_ns))) return true;
  why = "it waits for more than CPUs";
  return false;
}

class Timing {
 public:
  Timing(const CommandPair& commands, const CompareRequest& request, const TimingLimits& limits, reduce::Random& random,
         CompareAnswer& answer)
      : commands_(commands),
        request_(request),
        limits_(limits),
        random_(random),
        answer_(answer),
        plan_(request.max_runs),
        judge_seed_(random.next()) {}

  Result<TimedBlocks> run() {
    priority_.raise();
    TRY(warm_up());
    for (const size_t look : reduce::looks_up_to(request_.max_runs)) {
      while (blocks_.a.wall_ns.size() < look && TRY(run_block())) {
      }
      const bool is_over = answer_.ended != CompareEnd::Running;
      const size_t pairs = blocks_.a.wall_ns.size();
      if (pairs == 0 || (!answer_.looks.empty() && answer_.looks.back().pairs == pairs)) break;
      look_at(pairs, is_over || look == request_.max_runs);
      if (is_over || answer_.verdict != reduce::Verdict::Inconclusive) break;
    }
    if (answer_.ended == CompareEnd::Running)
      answer_.ended = answer_.verdict == reduce::Verdict::Inconclusive ? CompareEnd::RunsUsedUp : CompareEnd::Decided;
    describe(blocks_.a, answer_.a);
    describe(blocks_.b, answer_.b);
    return std::move(blocks_);
  }

 private:
  // One run of each that does not count: files get into memory, and a command that fails is told before time is spent.
  Result<> warm_up() {
    for (const bool is_b : {false, true}) {
      const linux::MeasuredRun run = TRY(one_run(is_b));
      if (run.was_stopped)
        return fail(ErrorCode::ResourceExhausted, std::string(is_b ? "B" : "A") + " did not end in time",
                    "give more with --max-time");
      if (run.exit_status != 0)
        return fail(ErrorCode::InvalidInput,
                    std::string(is_b ? "B" : "A") + " failed with status " + std::to_string(run.exit_status) +
                        (run.error_tail.empty() ? "" : ": " + last_line(run.error_tail)),
                    "both commands have to succeed: the time of a failure says nothing");
      note_output(run, is_b);
    }
    return {};
  }

  static std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const size_t start = text.rfind('\n');
    return printable(start == std::string::npos ? text : text.substr(start + 1)).substr(0, 200);
  }

  Result<linux::MeasuredRun> one_run(bool is_b) const {
    const linux::RunLimits limits{.deadline_ns = limits_.deadline_ns,
                                  .stop_fd = limits_.stop_fd,
                                  .counts_instructions = true,
                                  .nice = priority_.before()};
    return is_b ? commands_.run_b(limits) : commands_.run_a(limits);
  }

  // False when it is over.
  Result<bool> run_block() {
    if (clock_ns(CLOCK_MONOTONIC) >= limits_.deadline_ns) return over(CompareEnd::TimeUsedUp);
    const bool b_first = random_.coin();
    linux::MeasuredRun first = TRY(one_run(b_first));
    if (first.was_stopped) return stopped();
    linux::MeasuredRun second = TRY(one_run(!b_first));
    if (second.was_stopped) return stopped();
    keep(b_first ? second : first, blocks_.a, answer_.a);
    keep(b_first ? first : second, blocks_.b, answer_.b);
    note_output(first, b_first);
    note_output(second, !b_first);
    if (limits_.on_progress && !limits_.on_progress(progress())) return over(CompareEnd::Interrupted);
    return true;
  }

  bool over(CompareEnd why) {
    answer_.ended = why;
    return false;
  }
  bool stopped() {
    return over(clock_ns(CLOCK_MONOTONIC) >= limits_.deadline_ns ? CompareEnd::TimeUsedUp : CompareEnd::Interrupted);
  }

  CompareProgress progress() const {
    return {.phase = "timing", .done = blocks_.a.wall_ns.size(), .most = request_.max_runs, .seconds = 0};
  }

  static void keep(const linux::MeasuredRun& run, RunColumns& columns, TimedSide& side) {
    columns.wall_ns.push_back(static_cast<double>(run.wall_ns));
    columns.cpu_ns.push_back(static_cast<double>(run.cpu_ns));
    columns.queue_ns.push_back(static_cast<double>(run.queue_ns));
    if (run.instructions) columns.instructions.push_back(static_cast<double>(*run.instructions));
    ++side.runs;
    side.left_behind += run.left_behind;
    side.peak_bytes = std::max(side.peak_bytes, run.peak_bytes);
    side.output_bytes = run.output_bytes;
    if (run.exit_status != 0 && side.failures++ == 0) {
      side.exit_status = run.exit_status;
      side.error = last_line(run.error_tail);
    }
  }

  void note_output(const linux::MeasuredRun& run, bool is_b) {
    std::optional<uint64_t>& seen = is_b ? output_b_ : output_a_;
    if (seen && *seen != run.output_hash) output_varies_ = true;
    seen = run.output_hash;
    answer_.output = output_varies_ ? SeenOutput::Varies : output_a_ == output_b_ ? SeenOutput::Same : SeenOutput::Different;
  }

  void look_at(size_t pairs, bool is_last) {
    const double level = plan_.next_level(pairs, is_last);
    const reduce::JudgeOptions options{.level = level, .least_difference = request_.least_difference, .seed = judge_seed_};
    answer_.wall = reduce::judge(blocks_.a.wall_ns, blocks_.b.wall_ns, options);
    answer_.cpu = reduce::judge(blocks_.a.cpu_ns, blocks_.b.cpu_ns, options);
    if (!answer_.metric) {
      answer_.metric = request_.metric ? *request_.metric : choose_metric(blocks_, answer_.metric_reason);
      if (request_.metric) answer_.metric_reason = "asked for";
    }
    answer_.verdict = decisive(answer_).verdict;
    if (answer_.a.failures + answer_.b.failures > 0) answer_.verdict = reduce::Verdict::Inconclusive;
    answer_.looks.push_back({pairs, level, answer_.verdict});
  }

  static void describe(const RunColumns& columns, TimedSide& side) {
    side.wall_ns = reduce::median(columns.wall_ns);
    side.cpu_ns = reduce::median(columns.cpu_ns);
    side.wall_spread = spread(columns.wall_ns);
    side.cpu_spread = spread(columns.cpu_ns);
  }

  const CommandPair& commands_;
  const CompareRequest& request_;
  const TimingLimits& limits_;
  reduce::Random& random_;
  CompareAnswer& answer_;
  reduce::SpendingPlan plan_;
  uint64_t judge_seed_;
  TimedBlocks blocks_;
  std::optional<uint64_t> output_a_, output_b_;
  bool output_varies_ = false;
  OwnPriority priority_;  // who sleeps until the end of a run must not then wait in the queue for a CPU
};

}  // namespace

CommandPair::CommandPair(const std::vector<std::string>& a, const std::vector<std::string>& b) : a_(a), b_(b) {
  const size_t bytes_a = bytes_of(a);
  const size_t bytes_b = bytes_of(b);
  // Both get some, so that both have the variable.
  if (bytes_a != bytes_b) {
    padding_a_ = 1 + std::max(bytes_a, bytes_b) - bytes_a;
    padding_b_ = 1 + std::max(bytes_a, bytes_b) - bytes_b;
  }
}

Result<linux::MeasuredRun> CommandPair::run_a(linux::RunLimits limits) const {
  limits.padding = padding_a_;
  return linux::run_measured(a_, limits);
}

Result<linux::MeasuredRun> CommandPair::run_b(linux::RunLimits limits) const {
  limits.padding = padding_b_;
  return linux::run_measured(b_, limits);
}

Metric choose_metric(const TimedBlocks& blocks, std::string& reason) {
  for (const auto& [side, name] : {std::pair{&blocks.a, "A"}, std::pair{&blocks.b, "B"}}) {
    std::string why;
    if (computes(*side, why)) continue;
    reason = std::string(name) + ": " + why;
    return Metric::Wall;
  }
  reason = "both compute on one CPU, so CPU time is the wall time of a machine of their own";
  return Metric::Cpu;
}

Result<TimedBlocks> time_blocks(const CommandPair& commands, const CompareRequest& request, const TimingLimits& limits,
                                reduce::Random& random, CompareAnswer& answer) {
  return Timing(commands, request, limits, random, answer).run();
}

}  // namespace atys::verbs
