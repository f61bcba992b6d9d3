// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/nearest.h"
#include "cli/choices.h"
#include "cli/print_fleet.h"
#include "cli/raw_text.h"
#include "verbs/profiles/fleet_answers.h"

namespace atys::cli {

namespace {

using verbs::TaskAction;

const std::vector<std::pair<std::string, TaskAction>>& actions() {
  static const std::vector<std::pair<std::string, TaskAction>> kActions = {{"apply", TaskAction::Apply},
                                                                           {"list", TaskAction::List},
                                                                           {"show", TaskAction::Show},
                                                                           {"stop", TaskAction::Stop},
                                                                           {"delete", TaskAction::Delete}};
  return kActions;
}

class TaskSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "task",
        .summary = "Tell a fleet what to profile: apply, list, show, stop or delete tasks",
        .description = R"(
          A task is a YAML file: which service, where, how, within which budget (docs/guide/tasks.md has every field).
          The controller keeps it and hands it to each agent that it is for, also to those that join later. To change a
          task, apply it again.
          )"_text,
        .examples = R"(
          atys task apply shop.yaml
          atys task list
          atys task show shop
          atys task stop shop
          atys task delete shop
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("ACTION", action_, "apply, list, show, stop or delete")
        ->required()
        ->check(offers({"apply", "list", "show", "stop", "delete"}));
    app.add_option("NAME", request_.name, "The task; for apply, its file, - for standard input");
  }

  Result<> prepare() override {
    std::vector<std::string> names;
    for (const auto& [name, action] : actions()) {
      names.push_back(name);
      if (name == action_) request_.action = action;
    }
    if (std::find(names.begin(), names.end(), action_) == names.end())
      return fail(ErrorCode::InvalidInput, "'" + action_ + "' is none of apply, list, show, stop, delete",
                  did_you_mean(action_, names, "see atys task --help"));
    const bool is_list = request_.action == TaskAction::List;
    if (is_list && !request_.name.empty())
      return fail(ErrorCode::InvalidInput, "list takes no name", "atys task show " + request_.name + " shows one task");
    if (!is_list && request_.name.empty())
      return fail(ErrorCode::InvalidInput, action_ + " wants " + (action_ == "apply" ? "a file" : "the name of a task"),
                  "atys task list shows what there is");
    return {};
  }
  Result<Printed> run() override { return print_fleet(TRY(verbs::task(request_)), json); }

 private:
  verbs::TaskRequest request_;
  std::string action_;
};

}  // namespace

std::unique_ptr<Subcommand> create_task() { return std::make_unique<TaskSubcommand>(); }

}  // namespace atys::cli
