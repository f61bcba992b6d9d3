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
#include <type_traits>

#include "base/access.h"
#include "base/result.h"
#include "fleet/wire/admission.h"
#include "fleet/wire/control.h"
#include "fleet/wire/tls_files.h"

namespace atys::fleet {

// Takes who calls, where it asks for that, and the request as sent, gzip taken off. Errors become statuses: see
// grpc_message.h.
class CallHandler {
 public:
  template <typename Handle>
  CallHandler(Handle handle) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_invocable_v<Handle&, const Identity&, const std::string&>)
      handle_ = std::move(handle);
    else
      handle_ = [handle = std::move(handle)](const Identity&, const std::string& request) -> Result<std::string> {
        return handle(request);
      };
  }
  Result<std::string> operator()(const Identity& caller, const std::string& request) const {
    return handle_(caller, request);
  }

 private:
  std::function<Result<std::string>(const Identity& caller, const std::string& request)> handle_;
};
using CallHandlers = std::map<std::string, CallHandler, std::less<>>;  // by method

struct GrpcServerOptions {
  std::string address = "127.0.0.1:0";  // port 0: any that is free
  Access access;                        // calls need role_needed()
  TlsFiles tls = {};
  size_t most_message_bytes = size_t{64} << 20;
  size_t threads = 2;
};

// What a caller has to be for a method.
inline Role role_needed(std::string_view method) { return method == kJoinMethod ? Role::Join : Role::Capture; }

class GrpcServer {
 public:
  virtual ~GrpcServer() = default;  // ends what is under way; what waits is answered with Unavailable

  // `door` outlives the server.
  static Result<std::unique_ptr<GrpcServer>> start(const GrpcServerOptions& options, CallHandlers handlers, Admission& door);

  virtual int port() const = 0;
  virtual uint64_t refused_tokens() const = 0;
};

}  // namespace atys::fleet
