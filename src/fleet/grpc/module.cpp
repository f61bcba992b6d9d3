// SPDX-License-Identifier: Apache-2.0
#include "fleet/grpc/module.h"

#include "fleet/wire/grpc_module.h"

extern "C" __attribute__((visibility("default")))
const atys::fleet::GrpcModule atys_grpc_module = {ATYS_VERSION, atys::fleet::create_client};
