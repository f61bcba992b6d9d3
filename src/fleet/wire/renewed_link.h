// SPDX-License-Identifier: Apache-2.0
// A way to a controller whose token may be replaced while it is used: one that is refused is looked up, or asked for, anew.
// And where a node's own token comes from: its file or, the first time, the controller, by a token for joining.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fleet/controller_link.h"
#include "fleet/wire/grpc_client.h"

namespace atys::fleet {

// `was_refused`: the one that it gave before is not taken any more.
using TokenSource = std::function<Result<std::string>(bool was_refused)>;
using LinkOpener = std::function<Result<std::unique_ptr<ControllerLink>>(const std::string& token)>;

std::unique_ptr<ControllerLink> open_renewed_link(TokenSource source, LinkOpener open);

struct JoinPlan {
  std::string node;
  std::string file;              // where the node's own token is kept, for its owner alone
  GrpcClientOptions controller;  // with the token for joining
};
Result<std::string> node_token(const JoinPlan& plan, bool was_refused);

}  // namespace atys::fleet
