// SPDX-License-Identifier: Apache-2.0
// Calls methods of a gRPC server by name, with bytes. Connects when first used, and again whenever that is needed. Any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/wire/tls_files.h"

namespace atys::fleet {

struct GrpcClientOptions {
  std::string address;  // HOST:PORT
  std::string token = {};
  bool use_tls = false;  // also without files: then the system's authorities are trusted
  TlsFiles tls = {};
  uint64_t timeout_ns = 20'000'000'000;  // of a call
  size_t most_message_bytes = size_t{64} << 20;
};

// How a request travels: what is compressed already is left alone.
enum class GrpcPacking { Gzip, AsIs };

class GrpcClient {
 public:
  virtual ~GrpcClient() = default;
  static Result<std::unique_ptr<GrpcClient>> create(const GrpcClientOptions& options);

  // Unavailable: the server is not there, not now, or too slow.
  virtual Result<std::string> call(std::string_view method, const std::string& request,
                                   GrpcPacking packing = GrpcPacking::Gzip) = 0;
};

}  // namespace atys::fleet
