// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "cli/choices.h"
#include "cli/listening.h"
#include "cli/subcommand.h"
#include "present/json/answers.h"

namespace atys::cli {

namespace {

// Verbs that read a PROFILE, which may be service:NAME, or ask about the fleet itself.
constexpr std::string_view kAskControllers[] = {"summary", "diff", "link", "flame", "merge",
                                                "convert", "show", "task", "nodes", "services"};

// For whatever asks in the end: the variables are what is looked at (verbs/profiles/ask_controller.h).
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
           if (!token.ok()) throw CLI::ValidationError("--token-file", token.error().message + "\n" + token.error().hint);
           ::setenv("ATYS_TOKEN", token->c_str(), 1);
         },
         "A file with its token (default: ATYS_TOKEN)")
      ->type_name("FILE")
      ->group("Fleet");
}

void define_printing(Subcommand& subcommand, CLI::App& app) {
  const std::string name(subcommand.manual().name);
  const bool has_schema = present::json::schema(name).ok();
  app.add_flag("--json", subcommand.json,
               has_schema ? "Print the answer as JSON (atys schema " + name + " describes it)" : "Print errors as JSON, too")
      ->group("Output");
  app.add_option("--color", subcommand.color, "Colour in tables: auto (on a terminal), always or never")
      ->type_name("WHEN")
      ->capture_default_str()
      ->transform(one_of({"auto", "always", "never"}))
      ->group("Output");
  app.set_help_flag("-h,--help", "Print this help and exit")->group("Output");
}

}  // namespace

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const auto& subcommand : all_subcommands()) names.emplace_back(subcommand->manual().name);
  return names;
}

std::unique_ptr<CLI::App> make_app(Subcommand& subcommand) {
  const Manual& manual = subcommand.manual();
  auto app = std::make_unique<CLI::App>(std::string(manual.summary), "atys " + std::string(manual.name));
  app->set_help_flag();  // its own place is last
  subcommand.define_options(*app);
  if (std::ranges::find(kAskControllers, manual.name) != std::end(kAskControllers)) define_controller(*app);
  define_printing(subcommand, *app);
  return app;
}

}  // namespace atys::cli
