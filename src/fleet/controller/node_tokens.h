// SPDX-License-Identifier: Apache-2.0
// The nodes that have joined: who they are, by the hash of a token of their own, in a file. A name that has joined is taken
// until an admin has it forgotten: else whoever has a token for joining could be any node. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/access.h"
#include "base/guarded.h"
#include "base/result.h"

namespace atys::fleet {

class NodeTokens {
 public:
  // Lets the nodes of the file in at `access`.
  static Result<std::unique_ptr<NodeTokens>> open(std::string path, Access access);

  // The token, which is kept nowhere here, for good when it returns. `by` is who asks, with a token for joining.
  Result<std::string> join(const Identity& by, const std::string& node, int64_t now_ns);
  Result<> forget(const std::string& node);
  size_t size() { return nodes_.lock()->size(); }

  static constexpr uint64_t kMostByToken = 1000;  // unless its scope says otherwise
  static constexpr size_t kMostNodes = 20'000;

 private:
  struct Node {
    std::string hash;
    std::string joined_by;  // Identity::key
    int64_t joined_ns = 0;
    Scope scope;
  };
  using Nodes = std::map<std::string, Node>;

  NodeTokens(std::string path, Access access) : path_(std::move(path)), access_(std::move(access)) {}
  Result<> load();
  Result<> save(const Nodes& nodes) const;

  const std::string path_;
  Access access_;
  Guarded<Nodes> nodes_;
};

}  // namespace atys::fleet
