// SPDX-License-Identifier: Apache-2.0
// gRPC's buffers as strings, and how its server and its client are used alike.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <string>

namespace atys::fleet {

std::string to_bytes(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer to_buffer(const std::string& bytes);

// Its log goes to standard error by itself; what we have to say of an error is in the status. GRPC_VERBOSITY brings it back.
void keep_grpc_quiet();

}  // namespace atys::fleet
