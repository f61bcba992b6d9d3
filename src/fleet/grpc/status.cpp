// SPDX-License-Identifier: Apache-2.0
#include "fleet/grpc/status.h"

#include <string_view>

namespace atys::fleet {

namespace {

ErrorCode code_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION: return ErrorCode::InvalidInput;
    case grpc::StatusCode::NOT_FOUND: return ErrorCode::NotFound;
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::PERMISSION_DENIED: return ErrorCode::PermissionDenied;
    case grpc::StatusCode::UNIMPLEMENTED: return ErrorCode::Unsupported;
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::OUT_OF_RANGE:
    case grpc::StatusCode::DATA_LOSS:
    case grpc::StatusCode::UNAVAILABLE: return ErrorCode::Unavailable;
    case grpc::StatusCode::RESOURCE_EXHAUSTED: return ErrorCode::ResourceExhausted;
    default: return ErrorCode::Internal;
  }
}

// gRPC says no more than that the connection failed, and OpenSSL's reason in the text.
bool is_of_certificates(std::string_view text) {
  for (const std::string_view word : {"handshake", "certificate", "CERTIFICATE", "SSL", "TLS"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

std::string hint_for(ErrorCode code, const std::string& peer, std::string_view text) {
  switch (code) {
    case ErrorCode::Unavailable:
      if (is_of_certificates(text))
        return "does " + peer +
               " speak TLS, and does who vouches for its certificate stand in --ca, and for ours in the controller's?";
      return "is a controller running there, and can " + peer + " be reached?";
    case ErrorCode::PermissionDenied: return "give the token that the controller was started with";
    case ErrorCode::Unsupported: return "is " + peer + " the gRPC address of a controller, and as new as this program?";
    default: return {};
  }
}

}  // namespace

Error to_error(const grpc::Status& status, const std::string& peer) {
  const ErrorCode code = code_of(status.error_code());
  return fail(code, peer + ": " + status.error_message(), hint_for(code, peer, status.error_message()));
}

}  // namespace atys::fleet
