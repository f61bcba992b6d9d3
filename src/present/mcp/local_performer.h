// SPDX-License-Identifier: Apache-2.0
// Does the work in this process: with the tools that there are.
#pragma once

#include <memory>
#include <vector>

#include "present/mcp/protocol/server.h"
#include "present/mcp/tool.h"

namespace atys::present::mcp {

class LocalPerformer final : public Performer {
 public:
  explicit LocalPerformer(ToolContext context) : context_(std::move(context)), tools_(all_tools()) {}
  Json perform(const Work& work, const WorkObserver& observer) override;

 private:
  ToolContext context_;
  std::vector<std::unique_ptr<Tool>> tools_;
};

// What `atys mcp` offers.
Catalog product_catalog(const std::string& version, const verbs::Permission& permission);

}  // namespace atys::present::mcp
