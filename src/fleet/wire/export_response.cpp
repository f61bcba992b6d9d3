// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/export_response.h"

#include "base/json.h"
#include "base/utf8.h"
#include "format/wire/wire_reader.h"
#include "format/wire/wire_writer.h"

namespace atys::fleet {

using format::WireField;
using format::WireReader;
using format::WireType;
using format::WireWriter;

namespace {

constexpr size_t kLongestMessage = 1000;

}  // namespace

std::string encode(const ExportResponse& response) {
  if (response == ExportResponse{}) return {};
  std::string partial;
  WireWriter inner(partial);
  inner.int64(1, response.rejected_profiles);
  inner.bytes(2, printable(response.error_message));
  std::string bytes;
  WireWriter(bytes).always_bytes(1, partial);
  return bytes;
}

std::string encode_json(const ExportResponse& response) {
  JsonWriter json;
  json.begin_object();
  if (response != ExportResponse{}) {
    json.key("partialSuccess").begin_object();
    json.field("rejectedProfiles", std::to_string(response.rejected_profiles));
    json.field("errorMessage", printable(response.error_message)).end_object();
  }
  json.end_object();
  return json.take();
}

Result<ExportResponse> decode_export_response(std::string_view bytes) {
  ExportResponse response;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number != 1 || field.type != WireType::Bytes) continue;
    WireReader partial = WireReader::nested(field, reader);
    for (WireField part; partial.next(part);) {
      if (part.number == 1) response.rejected_profiles = part.as_int64();
      if (part.number == 2) response.error_message = printable(part.bytes.substr(0, kLongestMessage));
    }
    if (!partial.ok()) return partial.error();
  }
  if (!reader.ok()) return reader.error();
  return response;
}

}  // namespace atys::fleet
