// SPDX-License-Identifier: Apache-2.0
// What a request asks to be done that is more than looking something up: calls of tools, and reading of resources. The
// protocol makes `Work` of requests and answers of what comes back; who does it, and where, is a `Performer`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/json.h"

namespace atys::present::mcp {

struct Work {
  Json id;
  std::string method;  // "tools/call", "resources/list", "resources/read", "prompts/get", "completion/complete"
  Json params;         // without what only the protocol needs
  Json capabilities = Json::object();  // that the client has declared; legacy requests declare none
  Json progress_token;                 // null: nobody wants to know
  std::string version;
};

// How far it is. `total` is what `done` will be at the end, if that is known.
struct Progress {
  double done = 0;
  std::optional<double> total;
  std::string message;
};

// Both are called on the thread that performs, some times a second while it waits.
struct WorkObserver {
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  std::function<bool()> is_cancelled = [] { return false; };
};

class Performer {
 public:
  virtual ~Performer() = default;
  // {"result": …} or {"error": {"code", "message", "data"}}. Called from several threads at once.
  virtual Json perform(const Work& work, const WorkObserver& observer) = 0;
};

}  // namespace atys::present::mcp
