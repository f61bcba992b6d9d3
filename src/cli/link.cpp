// SPDX-License-Identifier: Apache-2.0
#include "verbs/link.h"

#include "cli/choices.h"
#include "cli/ledger_options.h"
#include "cli/raw_text.h"
#include "cli/view_options.h"
#include "verbs/profiles/source_access.h"

namespace atys::cli {

namespace {

using reduce::Form;

class LinkSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "link",
        .summary = "What a trace, a span or a request spent, and which of them are behind a function",
        .description = R"(
          Samples carry the trace and span that their thread worked on, and other labels, where the program publishes
          them (OpenTelemetry's thread context, labels of goroutines). Prints what those that were asked about spent, on
          which functions, and how it divides among spans (or whatever --by names).
          )"_text,
        .examples = R"(
          # what a trace spent
          atys link cpu.otlp --trace 4bf92f3577b34da6a3ce929d0e0e4736
          # which spans are behind a function
          atys link cpu.otlp --behind '^serialize$'
          # what one route of a service spent, by trace
          atys link cpu.otlp --label http.route=/login --group-by label:trace_id
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("PROFILE", request_.profile, "The profile")->required();
    app.add_option("--trace", request_.trace, "What this trace spent")->type_name("ID");
    app.add_option("--span", request_.span, "What this span spent")->type_name("ID");
    app.add_option("--behind", request_.behind, "Which spans are behind the functions that match")->type_name("RE");
    app.add_option("--group-by", request_.by, "How to divide it: thread or label:KEY (default: spans)")
        ->type_name("DIMENSION")
        ->check(offers({"thread", "label:"}));
    view_.define(app, {Form::Table, Form::Paths, Form::Tree, Form::Lines});
    ledger_.define(app);
  }

  Result<> prepare() override {
    request_.view = TRY(view_.parse());
    if (!request_.by.empty()) TRY(reduce::parse_dimension(request_.by));
    return verbs::check(request_);
  }

  Result<Printed> run() override {
    verbs::ChargedCall call = TRY(verbs::charge(ledger_.choice(), "link", request_.view));
    const verbs::SourceAccess access(verbs::as_the_user());
    return print_charged(TRY(verbs::link(request_)), call, json);
  }

 private:
  verbs::LinkRequest request_;
  ViewFlags view_;
  LedgerFlags ledger_;
};

}  // namespace

std::unique_ptr<Subcommand> create_link() { return std::make_unique<LinkSubcommand>(); }

}  // namespace atys::cli
