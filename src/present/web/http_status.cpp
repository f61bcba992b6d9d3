// SPDX-License-Identifier: Apache-2.0
#include "present/web/http_status.h"

#include "base/error_text.h"
#include "base/json.h"
#include "base/utf8.h"
#include "format/wire/wire_writer.h"

namespace atys::present::web {

namespace {

// google.rpc.Code
int rpc_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return 3;
    case ErrorCode::NotFound: return 5;
    case ErrorCode::PermissionDenied: return 16;
    case ErrorCode::Unsupported: return 12;
    case ErrorCode::Unavailable: return 14;
    case ErrorCode::ResourceExhausted:
    case ErrorCode::BudgetSpent: return 8;
    case ErrorCode::Internal: break;
  }
  return 13;
}

}  // namespace

int status_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::InvalidInput: return 400;
    case ErrorCode::NotFound: return 404;
    case ErrorCode::PermissionDenied: return 403;
    case ErrorCode::Unsupported: return 415;
    case ErrorCode::Unavailable: return 503;
    case ErrorCode::ResourceExhausted:
    case ErrorCode::BudgetSpent: return 413;
    case ErrorCode::Internal: break;
  }
  return 500;
}

std::string otlp_status(const Error& error, bool as_json) {
  const std::string message = printable(error_text(error));
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("code", rpc_code(error.code)).field("message", message).end_object();
    return json.take();
  }
  std::string bytes;
  format::WireWriter writer(bytes);
  writer.varint(1, static_cast<uint64_t>(rpc_code(error.code)));
  writer.bytes(2, message);
  return bytes;
}

}  // namespace atys::present::web
