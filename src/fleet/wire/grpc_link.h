// SPDX-License-Identifier: Apache-2.0
// The way to a controller over the network.
#pragma once

#include <memory>

#include "fleet/controller_link.h"
#include "fleet/wire/grpc_client.h"

namespace atys::fleet {

Result<std::unique_ptr<ControllerLink>> open_grpc_link(const GrpcClientOptions& options);

}  // namespace atys::fleet
