// SPDX-License-Identifier: Apache-2.0
#include "verbs/ledger.h"

#include <array>
#include <charconv>

#include "base/quantities.h"
#include "cli/choices.h"
#include "cli/print.h"
#include "cli/raw_text.h"

namespace atys::cli {

namespace {

// As options: --captures, --call-captures …
struct LimitOption {
  const char* name;
  const char* help;
  uint64_t budget::Charge::*amount;
  bool is_time;
};

constexpr std::array<LimitOption, 5> kLimits{{
    {"captures", "recordings", &budget::Charge::captures, false},
    {"profiled", "time that targets are recorded", &budget::Charge::profiled_ns, true},
    {"wall", "time that the caller waits", &budget::Charge::wall_ns, true},
    {"overhead", "CPU time of ours", &budget::Charge::overhead_ns, true},
    {"tokens", "tokens of answers", &budget::Charge::tokens, false},
}};

Result<uint64_t> parse_limit(const LimitOption& limit, const std::string& text) {
  if (limit.is_time) return parse_duration(text);
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == budget::kUnbounded)
    return fail(ErrorCode::InvalidInput, "'" + text + "' is no number of " + limit.name, "write a whole number");
  return count;
}

class LedgerSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "ledger",
        .summary = "What a client may spend: make, show or close a ledger",
        .description = R"(
          A ledger holds limits, in all and per call, and what was spent of them. Calls of capture, summary and diff
          with --ledger ID, or with ATYS_LEDGER set, are charged to it: each reserves the most that it may cost, is
          bounded by what is left, and says what is left. When nothing useful fits any more a call is refused with exit
          status 3.

          new prints an id; what is not limited is only counted. show tells what is left. close ends it: later calls are
          refused. A caller that is killed has spent what it reserved.
          )"_text,
        .examples = R"(
          # ten captures, a minute of recording, 20,000 tokens
          export ATYS_LEDGER=$(atys ledger new --captures 10 --profiled 60s --tokens 20000)
          atys ledger show
          # no answer above 1,000 tokens
          atys ledger new --tokens 20000 --call-tokens 1000
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("ACTION", action_, "new, show or close")->required()->transform(one_of({"new", "show", "close"}));
    app.add_option("LEDGER", request_.id, "The ledger to show or close (default: ATYS_LEDGER)");
    for (size_t i = 0; i < kLimits.size(); ++i) {
      const std::string type = kLimits[i].is_time ? "TIME" : "N";
      app.add_option("--" + std::string(kLimits[i].name), in_all_[i], std::string("Limit in all: ") + kLimits[i].help)
          ->type_name(type)
          ->group("Limits");
      app.add_option("--call-" + std::string(kLimits[i].name), per_call_[i],
                     std::string("Limit per call: ") + kLimits[i].help)
          ->type_name(type)
          ->group("Limits");
    }
  }

  Result<> prepare() override {
    if (action_ == "new") {
      request_.action = verbs::LedgerAction::New;
      if (!request_.id.empty())
        return fail(ErrorCode::InvalidInput, "a new ledger gets its id from us", "leave '" + request_.id + "' out");
    } else {
      request_.action = action_ == "show" ? verbs::LedgerAction::Show : verbs::LedgerAction::Close;
      const char* set = std::getenv("ATYS_LEDGER");
      if (request_.id.empty() && set != nullptr) request_.id = set;
      if (request_.id.empty()) return fail(ErrorCode::InvalidInput, "no ledger named", "give its id, or set ATYS_LEDGER");
    }
    return parse_limits();
  }

  Result<Printed> run() override { return print(TRY(verbs::ledger(request_)), json); }

 private:
  Result<> parse_limits() {
    for (size_t i = 0; i < kLimits.size(); ++i) {
      const auto set = [&](const std::string& text, budget::Charge& limits) -> Result<> {
        if (text.empty()) return {};
        if (request_.action != verbs::LedgerAction::New)
          return fail(ErrorCode::InvalidInput, "the limits of a ledger do not change", "make another with atys ledger new");
        limits.*kLimits[i].amount = TRY(parse_limit(kLimits[i], text));
        return {};
      };
      TRY(set(in_all_[i], request_.budget.in_all));
      TRY(set(per_call_[i], request_.budget.per_call));
    }
    return {};
  }

  verbs::LedgerRequest request_;
  std::string action_;
  std::array<std::string, kLimits.size()> in_all_, per_call_;
};

}  // namespace

std::unique_ptr<Subcommand> create_ledger() { return std::make_unique<LedgerSubcommand>(); }

}  // namespace atys::cli
