// SPDX-License-Identifier: Apache-2.0
#include "verbs/list.h"

#include "cli/print.h"

namespace atys::cli {

namespace {

class ListSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "list",
        .summary = "List the profiles of the local library",
        .description = "The library is the folder ATYS_HOME, by default atys in the XDG data folder. Newest first.",
        .examples = "  atys list",
    };
    return kManual;
  }
  void define_options(CLI::App&) override {}
  Result<Printed> run() override { return print(TRY(verbs::list()), json); }
};

}  // namespace

std::unique_ptr<Subcommand> create_list() { return std::make_unique<ListSubcommand>(); }

}  // namespace atys::cli
