// SPDX-License-Identifier: Apache-2.0
#include "verbs/remove.h"

#include "cli/print.h"

namespace atys::cli {

namespace {

class RemoveSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "remove",
        .summary = "Remove profiles from the local library",
        .description = "Takes ids, or their first six or more digits. All or nothing; files elsewhere are never touched.",
        .examples = "  atys remove 3f9a1c",
    };
    return kManual;
  }
  void define_options(CLI::App& app) override { app.add_option("ID", request_.ids, "The profiles' ids")->required(); }
  Result<Printed> run() override { return print(TRY(verbs::remove(request_)), json); }

 private:
  verbs::RemoveRequest request_;
};

}  // namespace

std::unique_ptr<Subcommand> create_remove() { return std::make_unique<RemoveSubcommand>(); }

}  // namespace atys::cli
