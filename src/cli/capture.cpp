// SPDX-License-Identifier: Apache-2.0
#include "verbs/capture.h"

#include <unistd.h>

#include <cstdio>

#include "base/quantities.h"
#include "cli/choices.h"
#include "cli/compare_options.h"
#include "cli/ledger_options.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/target_options.h"
#include "cli/usage.h"
#include "cli/view_options.h"
#include "profile/kinds.h"

namespace atys::cli {

namespace {

// In the place of {kinds}: "cpu (where it computes), off-cpu (where it waits, and for what) …"
std::string with_kinds(std::string text) {
  constexpr std::string_view kPlace = "{kinds}";
  std::string listed;
  for (const profile::KindRow& kind : profile::kinds())
    listed += (listed.empty() ? "" : ", ") + kind.shown() + " (" + std::string(kind.help) + ")";
  return text.replace(text.find(kPlace), kPlace.size(), listed);
}

class CaptureSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "capture",
        .summary = "Record what a target does, inside a budget",
        .description = R"(
          The target is a command that is started, processes, a service, a control group, or the whole host. A command
          is recorded from its first instruction to its last, with all that it starts; its exit status becomes ours, and
          Ctrl-C ends both. Anything else is recorded for --duration, or until Ctrl-C.

          The first word that is no option of ours begins the command, and all behind it is the command's; -- before it
          says so plainly. Where --duration or --max-samples ends the recording first, the command goes on, and the
          answer says so; --stop ends it and all that it started with SIGTERM, and the exit status is 0 then, or 1 if
          something of it has not ended five seconds later.

          A service is found by rules: NAME, command~REGEX, exe=GLOB, cgroup=GLOB, env:NAME=VALUE, port=N, user=NAME.

          Kinds: {kinds}.

          The rate is lowered when we would cost more than --max-overhead of the target's CPU time (and never less than
          of one core); values stay true. Prints where the profile is, what it cost, and the hottest functions.
          )"_text,
        .examples = R"(
          # a program from start to end
          atys capture ./server --once
          # ten seconds of a program that does not end by itself
          atys capture --duration 10s --stop -- ./server
          # ten seconds of a running service, into a file
          atys capture --service port=8080 --duration 10s -o web.pb.gz
          # no longer than it takes to be sure
          atys capture --plan adaptive --pid 4242 --duration 30s
          # why is it slow although it does not compute?
          atys capture --pid 4242 --kind off-cpu --duration 10s
        )"_text,
        .command = CommandRule::FirstWord,
        .command_is_marked_with = "--ab",
    };
    static const std::string kDescription = with_kinds(std::string(kManual.description));
    static const Manual kWhole = [] {
      Manual manual = kManual;
      manual.description = kDescription;
      return manual;
    }();
    return kWhole;
  }

  void define_options(CLI::App& app) override {
    target_.define(app);
    app.add_option("--duration", duration_, "How long: 10s, 500ms, 2m (default: 10s; a command: until it ends)")
        ->type_name("TIME");
    app.add_option(
           "--plan", plan_,
           "fixed, or adaptive: a short look, then more where it is not clear yet, until the answer would not change "
           "(default: fixed)")
        ->type_name("PLAN")
        ->transform(one_of({"fixed", "adaptive"}));
    app.add_option("--max-samples", max_samples_, "Stop after so many samples")->type_name("N")->check(whole_number());
    app.add_flag("--stop", request_.stop_command, "End the command when the recording ends");
    app.add_option("--label", labels_, "Note KEY=VALUE in the profile; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_flag("--debuginfod", request_.debuginfod, "Ask the servers in DEBUGINFOD_URLS for missing debug files");
    app.add_option("--max-tokens", max_tokens_, "Bound on the length of the answer, in tokens of a language model")
        ->type_name("N")
        ->check(positive());
    output_.define(app, "the local library");
    ledger_.define(app);
    app.add_flag("--ab", is_ab_, "Two commands, 'A' 'B' or -- A ARG… -- B ARG…: atys compare with its defaults");
  }

  void take_command(std::vector<std::string> command) override { target_.take_command(std::move(command)); }

  Result<> prepare() override {
    if (is_ab_) {
      verbs::CaptureRequest said;
      TRY(target_.parse(said));
      TRY(take_commands(said.command, comparison_));
      return verbs::check(comparison_);
    }
    request_.output = output_.parse();
    request_.plan = TRY(verbs::capture_plan_of(plan_));
    TRY(target_.parse(request_));
    if (!duration_.empty())
      request_.duration_ns = TRY(parse_duration(duration_));
    else if (request_.command.empty())
      request_.duration_ns = 10'000'000'000;
    request_.max_samples = static_cast<uint64_t>(max_samples_);
    if (max_tokens_ > 0) request_.max_tokens = static_cast<size_t>(max_tokens_);
    for (const std::string& label : labels_) request_.labels.push_back(TRY(parse_label(label)));
    return verbs::check(request_);
  }

  Result<Printed> run() override {
    if (is_ab_) return print(TRY(verbs::compare(comparison_)), json);
    const bool shows_progress = ::isatty(STDERR_FILENO) != 0 && request_.command.empty();
    if (shows_progress)
      request_.on_progress = [](double seconds, double samples) {
        std::fprintf(stderr, "\rrecording: %.1f s, %.0f samples", seconds, samples);
      };
    verbs::ChargedCall call = TRY(verbs::charge(ledger_.choice(), request_));
    auto answer = verbs::capture(request_);
    if (shows_progress) std::fprintf(stderr, "\r\033[K");
    if (!answer.ok()) return explain_not_run(answer.error(), request_.command);
    verbs::note_cost(call, *answer);
    if (!answer->command.note.empty()) answer->notes.push_back(answer->command.note);
    std::vector<std::string> notes = notes_on(answer->written);
    notes.insert(notes.end(), answer->notes.begin(), answer->notes.end());
    // What the command wrote to standard output is not ours to mix with.
    if (answer->written.path == "-")
      return Printed{{}, TRY(paid_without_answer(call, std::move(notes))), status_of(*answer)};
    Printed printed = TRY(print_charged(*answer, call, json, std::move(notes)));
    printed.status = status_of(*answer);
    return printed;
  }

 private:
  // A command that we ended says nothing by its status.
  static int status_of(const verbs::CaptureAnswer& answer) {
    if (answer.command.end == verbs::CommandEnd::Stopped) return 0;
    if (answer.command.end == verbs::CommandEnd::NotEnded) return 1;
    return std::max(0, answer.exit_status);
  }

  verbs::CaptureRequest request_;
  verbs::CompareRequest comparison_;  // of --ab
  bool is_ab_ = false;
  OutputFlags output_;
  std::string plan_ = to_string(verbs::CapturePlan::Fixed);
  TargetFlags target_;
  LedgerFlags ledger_;
  std::string duration_;
  std::vector<std::string> labels_;
  int64_t max_samples_ = 0;
  int64_t max_tokens_ = 0;
};

}  // namespace

std::unique_ptr<Subcommand> create_capture() { return std::make_unique<CaptureSubcommand>(); }

}  // namespace atys::cli
