// SPDX-License-Identifier: Apache-2.0
// One tool that clients may call: what it takes and gives, and the verb behind it. A tool turns arguments into a request,
// calls the verb, and has the answer presented as text and as JSON; it holds no logic of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "present/mcp/protocol/work.h"
#include "verbs/profiles/permission.h"
#include "verbs/recording/charged_call.h"

namespace atys::present::mcp {

// What the operator allows, and what of it the client may use up.
struct ToolContext {
  const verbs::Permission* permission = nullptr;
  verbs::LedgerChoice ledger;                  // that pays for the calls
  uint64_t most_duration_ns = 50'000'000'000;  // of one call: clients give up on calls after a minute
  size_t default_tokens = 1000;
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
};

struct ToolAnswer {
  std::string text;
  std::string json;               // fits the output schema
  std::vector<std::string> made;  // ids of profiles that now exist
};

// Hints for clients that ask a person before they call.
struct ToolHints {
  bool only_reads = true;
  bool runs_commands = false;  // which may do anything
};

struct ToolDescription {
  std::string name;
  std::string title;
  std::string text;
  Json properties;                    // of the input, by name
  std::vector<std::string> required;  // of them
  std::string verb;                   // whose schema is the output's
  ToolHints hints;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual ToolDescription describe() const = 0;
  // Arguments fit the schema already.
  virtual Result<ToolAnswer> call(const Json& arguments, const ToolContext& context) const = 0;
};

// Made from the list ATYS_MCP_TOOLS in CMakeLists.txt.
std::vector<std::unique_ptr<Tool>> all_tools();

Json input_schema(const ToolDescription& tool);
// As tools/list shows it.
Json to_json(const ToolDescription& tool);

// The result of tools/call. Arguments that do not fit and calls that fail are results too, so that a model can do better.
Json call_tool(const Tool& tool, const Json& arguments, const ToolContext& context);

}  // namespace atys::present::mcp
