// SPDX-License-Identifier: Apache-2.0
// A gRPC server that carries bytes: a method's name leads to a handler. Messages are coded by hand where they are used
// (docs/decisions/0003, 0018), so there is no generated code; and calls have one request and one answer, so that gRPC is
// little more than HTTP/2, which net/ speaks. Nothing of gRPC's own server is used: it cannot be bounded
// (docs/decisions/0026).
//
// A call is checked before its message is read: the method, the token. Messages are bounded before and after gzip; what is
// held is bounded in sum by an Admission, which other doors of the same process may share. Handlers run in a few threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/access.h"
#include "base/result.h"
#include "fleet/wire/admission.h"
#include "fleet/wire/tls_files.h"

namespace atys::fleet {

// The request as sent, gzip taken off. Errors become statuses: see grpc_message.h.
using CallHandler = std::function<Result<std::string>(const std::string& request)>;
using CallHandlers = std::map<std::string, CallHandler, std::less<>>;  // by method

struct GrpcServerOptions {
  std::string address = "127.0.0.1:0";  // port 0: any that is free
  Access access;                        // calls need the role Capture
  TlsFiles tls = {};
  size_t most_message_bytes = size_t{64} << 20;
  size_t threads = 2;
};

class GrpcServer {
 public:
  virtual ~GrpcServer() = default;  // ends what is under way; what waits is answered with Unavailable

  // `door` outlives the server.
  static Result<std::unique_ptr<GrpcServer>> start(const GrpcServerOptions& options, CallHandlers handlers, Admission& door);

  virtual int port() const = 0;
  virtual uint64_t refused_tokens() const = 0;
};

}  // namespace atys::fleet
