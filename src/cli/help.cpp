// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/choices.h"
#include "cli/help_text.h"
#include "cli/raw_text.h"
#include "cli/screen.h"
#include "cli/subcommand.h"
#include "cli/usage.h"

namespace atys::cli {

namespace {

class HelpSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "help",
        .summary = "Tell what the verbs do, or all about one of them",
        .description = "The same as atys --help and atys VERB --help. atys man VERB makes a manual page of the same text.",
        .examples = R"(
          atys help
          atys help capture
        )"_text,
    };
    return kManual;
  }
  void define_options(CLI::App& app) override {
    app.add_option("VERB", verb_, "The verb (default: all, a line each)")->check(offers(verb_names()));
  }

  Result<> prepare() override {
    subcommands_ = all_subcommands();
    if (!verb_.empty() && find() == subcommands_.end()) return no_such_verb(verb_);
    return {};
  }

  Result<Printed> run() override {
    if (verb_.empty()) return Printed{help_of_all(subcommands_, help_columns()), {}};
    Subcommand& asked = **find();
    return Printed{help_of(*make_app(asked), asked.manual(), help_columns()), {}};
  }

 private:
  std::vector<std::unique_ptr<Subcommand>>::iterator find() {
    return std::ranges::find_if(subcommands_, [&](const auto& one) { return one->manual().name == verb_; });
  }

  std::string verb_;
  std::vector<std::unique_ptr<Subcommand>> subcommands_;
};

}  // namespace

std::unique_ptr<Subcommand> create_help() { return std::make_unique<HelpSubcommand>(); }

}  // namespace atys::cli
