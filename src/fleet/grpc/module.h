// SPDX-License-Identifier: Apache-2.0
// What the module is made of: see fleet/wire/grpc_module.h.
#pragma once

#include "fleet/wire/grpc_client.h"

namespace atys::fleet {

Result<std::unique_ptr<GrpcClient>> create_client(const GrpcClientOptions& options);

}  // namespace atys::fleet
