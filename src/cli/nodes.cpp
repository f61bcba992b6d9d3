// SPDX-License-Identifier: Apache-2.0
#include "cli/print_fleet.h"
#include "cli/raw_text.h"
#include "verbs/profiles/fleet_answers.h"

namespace atys::cli {

namespace {

class NodesSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "nodes",
        .summary = "List the nodes that report to a controller",
        .description = R"(
          With what each of them does, what it costs, and what it could not do. A node that says nothing for half a
          minute is away; after an hour it is forgotten. A node that has joined has a token of its own: nobody else can
          send as it, and it cannot join again until --forget takes that token back.
          )"_text,
        .examples = R"(
          atys nodes
          atys nodes --forget web-1
          atys nodes --controller http://10.0.0.1:4318 --token-file /etc/atys/token
        )"_text,
    };
    return kManual;
  }
  void define_options(CLI::App& app) override {
    app.add_option("--forget", forget_, "Take the token of a node back: it has to join again")->type_name("NODE");
  }
  Result<Printed> run() override {
    return print_fleet(TRY(forget_.empty() ? verbs::nodes() : verbs::forget_node(forget_)), json);
  }

 private:
  std::string forget_;
};

}  // namespace

std::unique_ptr<Subcommand> create_nodes() { return std::make_unique<NodesSubcommand>(); }

}  // namespace atys::cli
