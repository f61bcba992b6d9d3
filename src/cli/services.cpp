// SPDX-License-Identifier: Apache-2.0
#include "cli/print_fleet.h"
#include "cli/raw_text.h"
#include "verbs/profiles/fleet_answers.h"

namespace atys::cli {

namespace {

class ServicesSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "services",
        .summary = "List the services that a controller has profiles of",
        .description = "Each can be asked about wherever a PROFILE is read: atys summary service:NAME@-1h..now",
        .examples = R"(
          atys services
          # then
          atys summary service:shop@-30m..
          atys diff 'service:shop{version=1.1}' 'service:shop{version=1.2}'
        )"_text,
    };
    return kManual;
  }
  void define_options(CLI::App&) override {}
  Result<Printed> run() override { return print_fleet(TRY(verbs::services()), json); }
};

}  // namespace

std::unique_ptr<Subcommand> create_services() { return std::make_unique<ServicesSubcommand>(); }

}  // namespace atys::cli
