// SPDX-License-Identifier: Apache-2.0
#include "verbs/summary.h"

#include "cli/ledger_options.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"
#include "verbs/profiles/source_access.h"

namespace atys::cli {

namespace {

using reduce::Form;

class SummarySubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "summary",
        .summary = "What costs the most in a profile",
        .description = R"(
          Prints the costliest functions of a profile with their self and total values. Self is what a function costs by
          itself, total includes what it calls; recursion counts once. ci95 is the 95% confidence interval of the self
          share, from the number of samples.

          Forms: table (self and total), paths (costliest call paths), tree (call tree of your own code, cut to its
          costliest nodes), lines (costliest source lines, with their text where the file is at hand), raw (all call
          paths as collapsed stacks), brief (likeliest culprits and the calls to them, for language models).

          Own code is told from libraries and runtime by path, package and module, or by --own, --library and the file
          own-code in ATYS_HOME. What other code costs is charged to the function of yours that called it.
          )"_text,
        .examples = R"(
          # the ten costliest functions
          atys summary cpu.pb.gz --top 10
          # who calls malloc, by cost
          atys summary cpu.pb.gz --form paths --focus '^malloc$'
          # what a language model should see, in at most 1,000 tokens
          atys summary cpu.pb.gz --form brief --max-tokens 1000
          # per thread, as JSON
          atys summary cpu.pb.gz --by thread --json
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("PROFILE", request_.profile, "The profile")->required();
    view_.define(app, {Form::Table, Form::Paths, Form::Tree, Form::Lines, Form::Raw, Form::Brief});
    ledger_.define(app);
  }

  Result<> prepare() override {
    request_.view = TRY(view_.parse());
    return {};
  }

  Result<Printed> run() override {
    verbs::ChargedCall call = TRY(verbs::charge(ledger_.choice(), "summary", request_.view));
    const verbs::SourceAccess access(verbs::as_the_user());
    return print_charged(TRY(verbs::summary(request_)), call, json);
  }

 private:
  verbs::SummaryRequest request_;
  ViewFlags view_;
  LedgerFlags ledger_;
};

}  // namespace

std::unique_ptr<Subcommand> create_summary() { return std::make_unique<SummarySubcommand>(); }

}  // namespace atys::cli
