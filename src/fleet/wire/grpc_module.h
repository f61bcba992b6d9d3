// SPDX-License-Identifier: Apache-2.0
// The client's gRPC is in a module of its own, atys-grpc.so, which is loaded when somebody first speaks it: most verbs never
// do, and linking it would double the time that each of them takes to start.
#pragma once

#include "fleet/wire/grpc_client.h"

namespace atys::fleet {

struct GrpcModule {
  const char* build;  // what is passed has the same layout on both sides only within one build
  Result<std::unique_ptr<GrpcClient>> (*create_client)(const GrpcClientOptions& options);
};

// The module exports one of this name.
inline constexpr const char* kGrpcModuleSymbol = "atys_grpc_module";

}  // namespace atys::fleet
