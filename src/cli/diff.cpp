// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include "cli/print.h"
#include "cli/view_options.h"

namespace atys::cli {

namespace {

class DiffSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "diff",
        .summary = "What changed between two profiles",
        .description =
            "Compares the shares of each function in two profiles, so recordings of different length compare. ci95 is the "
            "95%\n"
            "confidence interval of the change; a change is marked significant only where, over all rows, at most 5% of "
            "the\n"
            "marks are expected to be chance. 'no significant change' is an answer. The interval covers sampling alone: "
            "two\n"
            "runs of the same program also differ by themselves.",
        .examples =
            "  # what the new version does more of\n"
            "  atys diff before.pb.gz after.pb.gz\n"
            "  # with everything that functions call\n"
            "  atys diff before.pb.gz after.pb.gz --total",
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("BASE", request_.base, "The profile to compare with")->required();
    app.add_option("NEW", request_.fresh, "The profile that may have changed")->required();
    app.add_flag("--total", total_, "Compare total shares instead of self shares");
    view_.define(app, {"table", "paths", "tree", "lines", "raw", "brief"});
  }

  Result<> prepare() override {
    request_.view = TRY(view_.parse());
    if (total_) request_.measure = reduce::Measure::Total;
    return {};
  }

  Result<Printed> run() override { return print(TRY(verbs::diff(request_)), json); }

 private:
  verbs::DiffRequest request_;
  ViewFlags view_;
  bool total_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_diff() { return std::make_unique<DiffSubcommand>(); }

}  // namespace atys::cli
