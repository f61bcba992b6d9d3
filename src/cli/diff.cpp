// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include "cli/choices.h"
#include "cli/ledger_options.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"

namespace atys::cli {

namespace {

using reduce::Form;

class DiffSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "diff",
        .summary = "What changed between two profiles",
        .description = R"(
          Compares the shares of each function in two profiles, so recordings of different length compare; with --per,
          what each costs for the same work. Several profiles on a side are runs: BASE and NEW take them with commas
          between, or repeat --base and --new. ci95 is the 95% confidence interval of the change; a change is marked
          significant only where, over all rows, at most 5% of the marks are expected to be chance. 'no significant
          change' is an answer, and 'inconclusive' too. With one profile a side the interval covers sampling alone: two
          runs of the same program also differ by themselves, and only several runs show by how much.
          )"_text,
        .examples = R"(
          # what the new version does more of
          atys diff before.pb.gz after.pb.gz
          # with everything that functions call
          atys diff before.pb.gz after.pb.gz --total
          # several runs of each, cost per run
          atys diff --base before-*.pb.gz --new after-*.pb.gz --per run
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("BASE", request_.base, "The profile to compare with, or several runs: a,b,c");
    app.add_option("NEW", request_.fresh, "The profile that may have changed, or several runs");
    app.add_option("--base", request_.more_base, "More runs of the base")->type_name("PROFILE…")->expected(1, -1);
    app.add_option("--new", request_.more_fresh, "More runs of what may have changed")
        ->type_name("PROFILE…")
        ->expected(1, -1);
    app.add_option("--per", request_.per, "Compare cost per work: share, run, second, cpu-second, request:N (or N,M)")
        ->type_name("WORK")
        ->capture_default_str()
        ->check(offers({"share", "run", "second", "cpu-second", "request:"}));
    app.add_flag("--total", total_, "Compare total shares instead of self shares");
    maps_.define(app);
    view_.define(app, {Form::Brief, Form::Table, Form::Paths, Form::Tree, Form::Lines, Form::Raw});
    ledger_.define(app);
  }

  Result<> prepare() override {
    request_.view = TRY(view_.parse());
    request_.maps = TRY(maps_.parse());
    TRY(verbs::WorkUnit::parse(request_.per));
    const bool has_base = !request_.base.empty() || !request_.more_base.empty();
    const bool has_fresh = !request_.fresh.empty() || !request_.more_fresh.empty();
    if (!has_base || !has_fresh)
      return fail(ErrorCode::InvalidInput, has_base ? "NEW is required" : "BASE is required", "see atys diff --help");
    if (total_) request_.measure = reduce::Measure::Total;
    return {};
  }

  Result<Printed> run() override {
    verbs::ChargedCall call = TRY(verbs::charge(ledger_.choice(), "diff", request_.view));
    return print_charged(TRY(verbs::diff(request_)), call, json);
  }

 private:
  verbs::DiffRequest request_;
  MapFlags maps_;
  ViewFlags view_;
  LedgerFlags ledger_;
  bool total_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_diff() { return std::make_unique<DiffSubcommand>(); }

}  // namespace atys::cli
