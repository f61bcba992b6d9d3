// SPDX-License-Identifier: Apache-2.0
#include "cli/subcommand.h"

#include <algorithm>
#include <cstdlib>

#include "cli/listening.h"

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

// Verbs that read a PROFILE, which may be service:NAME, or ask about the fleet itself.
constexpr std::string_view kAskControllers[] = {"summary", "diff", "link", "flame", "merge",
                                                "convert", "show", "task", "nodes", "services"};

// For whatever asks in the end: the variables are what is looked at (verbs/ask_controller.h).
void define_controller(CLI::App& app) {
  app.add_option_function<std::string>(
         "--controller", [](const std::string& url) { ::setenv("ATYS_CONTROLLER", url.c_str(), 1); },
         "Which controller to ask for service:NAME (default: ATYS_CONTROLLER, or http://127.0.0.1:4318)")
      ->type_name("URL")
      ->group("Fleet");
  app.add_option_function<std::string>(
         "--token-file",
         [](const std::string& path) {
           const auto token = token_of_existing_file(path);
           if (!token.ok()) throw CLI::ValidationError("--token-file", token.error().message);
           ::setenv("ATYS_TOKEN", token->c_str(), 1);
         },
         "A file with its token (default: ATYS_TOKEN)")
      ->type_name("FILE")
      ->group("Fleet");
}

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
                  "profile in the local library (its first six digits will do), or service:NAME[@FROM..TO], which asks a\n"
                  "controller (e.g. service:shop@-1h..now, service:shop{version=1.2}).\n\n") +
      kExitStatus);
  for (const auto& subcommand : subcommands) {
    const Manual& manual = subcommand->manual();
    CLI::App* sub = app->add_subcommand(std::string(manual.name), std::string(manual.summary));
    sub->formatter(formatter);
    subcommand->define_options(*sub);
    if (std::ranges::find(kAskControllers, manual.name) != std::end(kAskControllers)) define_controller(*sub);
    sub->add_flag("--json", subcommand->json,
                  "Print the answer as JSON (atys schema " + std::string(manual.name) + " describes it)");
    sub->footer(std::string(manual.description) + (manual.description.empty() ? "" : "\n\n") + footer_of(manual));
  }
  return app;
}

}  // namespace atys::cli
