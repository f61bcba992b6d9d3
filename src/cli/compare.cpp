// SPDX-License-Identifier: Apache-2.0
#include "verbs/compare.h"

#include <unistd.h>

#include "base/quantities.h"
#include "cli/choices.h"
#include "cli/compare_options.h"
#include "cli/ledger_options.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"

namespace atys::cli {

namespace {

class CompareSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "compare",
        .summary = "Is B faster than A, by how much, and where?",
        .description = R"(
          Runs both commands as fresh processes, in turns, in random order, timed from outside, and stops when it is
          decided or the budget ends. The verdict is faster, slower, same or inconclusive (with the number of runs that
          would decide). A difference counts when its whole interval is beyond --threshold and beyond what this machine
          does to A against itself. Other runs are profiled to say which functions changed, with at most 5% of those
          marked expected to be chance. Both commands have to succeed; whether their outputs are the same is told.

          --metric auto decides by CPU time where both compute on one CPU: it is far less noisy than wall time, and then
          the wall time of an idle machine. Else by wall time. Both are shown.
          )"_text,
        .examples = R"(
          # two versions of a program
          atys compare './old --input big.txt' './new --input big.txt'
          # without a shell
          atys compare -- ./old 5 -- ./new 5
          # only the time, at most a minute
          atys compare --max-time 1m --profile-runs 0 'python3 a.py' 'python3 b.py'
        )"_text,
        .command = CommandRule::Marked,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("COMMAND", words_, "A and B: two texts for a shell, or after --: A ARG… -- B ARG…");
    app.add_option("--metric", metric_, "Which time decides: auto, wall, cpu")
        ->type_name("TIME")
        ->capture_default_str()
        ->transform(one_of({"auto", "wall", "cpu"}));
    app.add_option("--max-runs", request_.max_runs, "Timed runs of each side, at most")
        ->type_name("N")
        ->capture_default_str()
        ->check(positive());
    app.add_option("--max-time", time_, "Time for everything (default: 5m)")->type_name("TIME");
    app.add_option("--threshold", threshold_, "Differences below do not matter (default: 2%)")->type_name("PERCENT");
    app.add_option("--seed", seed_, "Of orders and resampling, from an earlier answer (default: drawn)")->type_name("N");
    app.add_option("--profile-runs", request_.profile_runs, "Profiled runs of each side; 0: none")
        ->type_name("N")
        ->capture_default_str()
        ->check(whole_number());
    app.add_flag("--instructions", request_.instructions, "Count instructions by callgrind where the processor does not");
    app.add_flag("--no-keep", no_keep_, "Do not keep the profiles in the library");
    app.add_flag("--total", total_, "Compare total values of functions instead of self values");
    maps_.define(app);
    view_.define(app, {reduce::Form::Brief, reduce::Form::Table});
    ledger_.define(app);
  }

  void take_command(std::vector<std::string> command) override {
    if (!command.empty()) words_ = std::move(command);
  }

  Result<> prepare() override {
    TRY(take_commands(words_, request_));
    request_.view = TRY(view_.parse());
    request_.metric = TRY(verbs::metric_of(metric_));
    request_.maps = TRY(maps_.parse());
    if (!time_.empty()) request_.max_time_ns = TRY(parse_duration(time_));
    if (!threshold_.empty()) request_.least_difference = TRY(parse_percent(threshold_));
    if (seed_ >= 0) request_.seed = static_cast<uint64_t>(seed_);
    if (total_) request_.measure = reduce::Measure::Total;
    request_.keep_profiles = !no_keep_;
    return verbs::check(request_);
  }

  Result<Printed> run() override {
    const bool shows_progress = ::isatty(STDERR_FILENO) != 0;
    if (shows_progress) request_.on_progress = show_compare_progress;
    verbs::ChargedCall call = TRY(verbs::charge(ledger_.choice(), request_));
    auto answer = verbs::compare(request_);
    if (shows_progress) clear_compare_progress();
    if (!answer.ok()) return answer.error();
    verbs::note_cost(call, *answer);
    return print_charged(answer.take(), call, json);
  }

 private:
  verbs::CompareRequest request_;
  MapFlags maps_;
  ViewFlags view_;
  LedgerFlags ledger_;
  std::vector<std::string> words_;
  std::string metric_ = "auto";
  std::string time_, threshold_;
  int64_t seed_ = -1;
  bool no_keep_ = false;
  bool total_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_compare() { return std::make_unique<CompareSubcommand>(); }

}  // namespace atys::cli
