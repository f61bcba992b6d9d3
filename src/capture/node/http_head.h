// SPDX-License-Identifier: Apache-2.0
// The head of an HTTP/1.1 response: as much of it as talking to an inspector needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace atys::capture::node {

struct HttpHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case

  std::string_view value_of(std::string_view name) const;  // empty: no such field
};

inline constexpr std::string_view kEndOfHead = "\r\n\r\n";

// Everything up to the empty line.
Result<HttpHead> parse_http_head(std::string_view text);

// How long its body is; an error where it does not say, or says more than `most`.
Result<size_t> body_bytes(const HttpHead& head, size_t most);

}  // namespace atys::capture::node
