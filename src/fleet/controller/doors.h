// SPDX-License-Identifier: Apache-2.0
// The gRPC methods of a controller, which outlives them.
#pragma once

#include "fleet/controller/controller.h"
#include "fleet/wire/grpc_server.h"

namespace atys::fleet {

std::map<std::string, CallHandler, std::less<>> grpc_methods(Controller& controller);

}  // namespace atys::fleet
