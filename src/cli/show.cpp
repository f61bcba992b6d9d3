// SPDX-License-Identifier: Apache-2.0
#include "verbs/show.h"

#include "cli/print.h"

namespace atys::cli {

namespace {

class ShowSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "show",
        .summary = "Show all that a profile says about itself",
        .description = "Value types, times, mappings, labels, comments, what was lost and where the profile came from.",
        .examples = "  atys show cpu.pb.gz",
    };
    return kManual;
  }
  void define_options(CLI::App& app) override { app.add_option("PROFILE", request_.profile, "The profile")->required(); }
  Result<Printed> run() override { return print(TRY(verbs::show(request_)), json); }

 private:
  verbs::ShowRequest request_;
};

}  // namespace

std::unique_ptr<Subcommand> create_show() { return std::make_unique<ShowSubcommand>(); }

}  // namespace atys::cli
