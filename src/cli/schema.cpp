// SPDX-License-Identifier: Apache-2.0
#include "cli/choices.h"
#include "cli/print.h"

namespace atys::cli {

namespace {

class SchemaSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "schema",
        .summary = "Print the JSON Schema of a verb's answer",
        .description = "Fields may be added to an answer, never changed.",
        .examples = "  atys schema summary",
    };
    return kManual;
  }
  void define_options(CLI::App& app) override {
    std::vector<std::string> known;
    for (const std::string_view verb : present::json::verbs_with_schema()) known.emplace_back(verb);
    app.add_option("VERB", verb_, "The verb")->required()->check(offers(known));
  }
  Result<Printed> run() override { return Printed{TRY(present::json::schema(verb_)), {}}; }

 private:
  std::string verb_;
};

}  // namespace

std::unique_ptr<Subcommand> create_schema() { return std::make_unique<SchemaSubcommand>(); }

}  // namespace atys::cli
