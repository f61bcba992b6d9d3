// SPDX-License-Identifier: Apache-2.0
#include "cli/subcommand.h"

namespace atys::cli {

namespace {

constexpr const char* kExitStatus =
    "EXIT STATUS\n"
    "  0 done, 1 failed, 2 usage, 3 budget exhausted, 4 not trusted\n";

std::string footer_of(const Manual& manual) {
  std::string text;
  if (!manual.examples.empty()) text += "EXAMPLES\n" + std::string(manual.examples) + "\n\n";
  return text + kExitStatus;
}

// Help in the manner of a man page: what it does first, then the options, then examples.
class ManualFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = "\nUSAGE\n  " + name;
    const auto positionals = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (!app->get_subcommands({}).empty()) return usage + " VERB …\n";
    for (const CLI::Option* option : positionals) {
      const bool many = option->get_expected_max() > 1;
      usage += " " + option->get_name(true) + (many ? " …" : "");
    }
    return usage + " [OPTIONS]\n";
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return Formatter::make_help(app, name, mode);
    std::string parents;
    for (const CLI::App* up = app->get_parent(); up != nullptr; up = up->get_parent())
      parents.insert(0, up->get_name() + " ");
    return app->get_description() + "\n" + make_usage(app, parents + app->get_name()) + make_positionals(app) +
           make_groups(app, mode) + make_subcommands(app, mode) + "\n" + app->get_footer() + "\n";
  }
};

}  // namespace

std::unique_ptr<CLI::App> make_app(const std::vector<std::unique_ptr<Subcommand>>& subcommands) {
  auto app = std::make_unique<CLI::App>("atys - finds the functions that cost the most", "atys");
  const auto formatter = std::make_shared<ManualFormatter>();
  formatter->column_width(34);
  app->formatter(formatter);
  app->set_version_flag("--version", "atys " ATYS_VERSION, "Print the version and exit");
  app->set_help_flag("-h,--help", "Print this help and exit");
  app->require_subcommand(1);
  app->footer(
      std::string("PROFILE is a file in any format that Atys reads (gzip or not), - for standard input, or the id of a\n"
                  "profile in the local library (its first six digits will do).\n\n") +
      kExitStatus);
  for (const auto& subcommand : subcommands) {
    const Manual& manual = subcommand->manual();
    CLI::App* sub = app->add_subcommand(std::string(manual.name), std::string(manual.summary));
    sub->formatter(formatter);
    subcommand->define_options(*sub);
    sub->add_flag("--json", subcommand->json,
                  "Print the answer as JSON (atys schema " + std::string(manual.name) + " describes it)");
    sub->footer(std::string(manual.description) + (manual.description.empty() ? "" : "\n\n") + footer_of(manual));
  }
  return app;
}

}  // namespace atys::cli
