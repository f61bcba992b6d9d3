// SPDX-License-Identifier: Apache-2.0
// The gRPC methods of a controller, which outlives them.
#pragma once

#include "fleet/controller/controller.h"
#include "fleet/wire/grpc_server.h"

namespace atys::fleet {

CallHandlers grpc_methods(Controller& controller);

}  // namespace atys::fleet
