// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/local_performer.h"

#include "present/mcp/completions.h"
#include "present/mcp/prompts.h"
#include "present/mcp/resources.h"
#include "verbs/profiles/ask_controller.h"
#include "verbs/profiles/source_access.h"

namespace atys::present::mcp {

Json LocalPerformer::perform(const Work& work, const WorkObserver& observer) {
  // What a profile names is read as if the client had named it.
  const verbs::SourceAccess access([this](const std::string& path) { return context_.permission->may_read(path).ok(); });
  if (work.method == "resources/list") return list_resources(work.params);
  if (work.method == "resources/read") return read_resource(work.params, context_);
  if (work.method == "prompts/get") return get_prompt(work.params);
  if (work.method == "completion/complete") return complete(work.params);
  verbs::set_controller_patience(static_cast<int>((context_.most_duration_ns + 999'999'999) / 1'000'000'000));
  ToolContext context = context_;
  context.on_progress = observer.on_progress;
  for (const auto& tool : tools_)
    if (work.params.value("name", Json()) == tool->describe().name)
      return {{"result", call_tool(*tool, work.params.value("arguments", Json::object()), context)}};
  return {{"error", {{"code", kInvalidParams}, {"message", "unknown tool"}}}};
}

Catalog product_catalog(const std::string& version, const verbs::Permission& permission) {
  Catalog catalog{.name = "atys",
                  .title = "Atys profiler",
                  .version = version,
                  .instructions = instructions() + " You may profile: " + permission.describe() + ".",
                  .prompts = all_prompts(),
                  .resource_templates = resource_templates()};
  for (const auto& tool : all_tools()) catalog.tools.push_back(to_json(tool->describe()));
  return catalog;
}

}  // namespace atys::present::mcp
