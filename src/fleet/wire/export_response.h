// SPDX-License-Identifier: Apache-2.0
// What OTLP answers to profiles that were sent: nothing, or how many of them were not taken and why. They are not to be sent
// again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::fleet {

// Of a window that is past its retention. An agent finds it in the answer and counts by it: not to be changed.
inline constexpr std::string_view kTooOld = "older than what is kept here";

struct ExportResponse {
  int64_t rejected_profiles = 0;
  std::string error_message;

  bool operator==(const ExportResponse&) const = default;
};

std::string encode(const ExportResponse& response);
std::string encode_json(const ExportResponse& response);
Result<ExportResponse> decode_export_response(std::string_view bytes);

}  // namespace atys::fleet
