// SPDX-License-Identifier: Apache-2.0
#include "net/packing.h"

#include "base/byte_source.h"
#include "base/gzip.h"

namespace atys::net {

Result<> unpack(Request& request, size_t most_bytes) {
  const std::string* packing = request.head.find("content-encoding");
  if (packing == nullptr || packing->empty() || *packing == "identity") return {};
  if (*packing != "gzip") return fail(ErrorCode::Unsupported, "Content-Encoding is neither gzip nor identity");
  const auto unpacked = gunzip(as_byte_span(request.body), most_bytes);
  if (!unpacked.ok() && unpacked.error().code == ErrorCode::ResourceExhausted)
    return fail(ErrorCode::ResourceExhausted, "the body unpacks to too much", "send less at once");
  if (!unpacked.ok()) return fail(ErrorCode::InvalidInput, "the body is cut off, or is not compressed as it says");
  request.body = as_text(*unpacked);
  return {};
}

}  // namespace atys::net
