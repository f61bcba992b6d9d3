// SPDX-License-Identifier: Apache-2.0
// What gRPC adds to HTTP/2 for a call with one request and one answer: a prefix before each message, and a status after the
// last.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "net/message.h"

namespace atys::fleet {

inline constexpr size_t kGrpcPrefixBytes = 5;

// The one message of a body, inflated if it says so. `packing` is the header grpc-encoding.
Result<std::string> message_of(const std::string& body, const std::string& packing, size_t most_bytes);

net::Response grpc_answer(const std::string& message);
net::Response grpc_refusal(const Error& error);
// 16 and 7 are both "not yours" for us: who has shown nothing, and who has shown the wrong thing.
net::Response grpc_refusal(int status, const std::string& why);

// "100m" of the header grpc-timeout, in nanoseconds; nothing: it is none.
std::optional<uint64_t> grpc_timeout_ns(const std::string& text);

}  // namespace atys::fleet
