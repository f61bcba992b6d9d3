// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/prompts.h"

#include <string>
#include <vector>

#include "present/mcp/protocol/message.h"

namespace atys::present::mcp {

namespace {

struct Prompt {
  const char* name;
  const char* title;
  const char* description;
  const char* argument;
  const char* argument_description;
  const char* before;  // of the argument
  const char* after;
};

constexpr Prompt kPrompts[] = {
    {"find_bottleneck", "Find the bottleneck", "Profile a command and explain what makes it slow", "command",
     "the command, as you would type it", "Find out why this command is slow, by measuring: ",
     "\n\nCapture it with profile_capture, follow the hottest path to the function of this project that causes it "
     "(profile_summary "
     "with form tree, paths and lines), and tell me the function, the line, its share of the time, and what you would "
     "change. "
     "Change nothing yet."},
    {"make_faster", "Make it faster", "Profile a command, fix its bottleneck and prove that it helped", "command",
     "the command, as you would type it", "Make this command faster: ",
     "\n\nCapture it with profile_capture, find the cause, change the code, run its tests, capture again, and show with "
     "profile_diff "
     "(and profile_compare, if there is one) what changed. If nothing changed significantly, say so and undo it."},
};

}  // namespace

Json all_prompts() {
  Json list = Json::array();
  for (const Prompt& prompt : kPrompts)
    list.push_back(
        {{"name", prompt.name},
         {"title", prompt.title},
         {"description", prompt.description},
         {"arguments",
          Json::array({{{"name", prompt.argument}, {"description", prompt.argument_description}, {"required", true}}})}});
  return list;
}

Json get_prompt(const Json& params) {
  const Json arguments = params.value("arguments", Json::object());
  for (const Prompt& prompt : kPrompts) {
    if (params["name"] != prompt.name) continue;
    if (!arguments.contains(prompt.argument) || !arguments[prompt.argument].is_string())
      return {
          {"error", {{"code", kInvalidParams}, {"message", std::string("arguments.") + prompt.argument + " must be text"}}}};
    const std::string text = prompt.before + arguments[prompt.argument].get<std::string>() + prompt.after;
    return {{"result",
             {{"description", prompt.description},
              {"messages", Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}})}}}};
  }
  return {{"error", {{"code", kInvalidParams}, {"message", "unknown prompt"}}}};
}

}  // namespace atys::present::mcp
