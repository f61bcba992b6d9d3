// SPDX-License-Identifier: Apache-2.0
// Asks a controller over HTTP. One connection for each call.
#pragma once

#include <string>

#include "base/result.h"

namespace atys::fleet {

inline constexpr int kUsualPatienceSeconds = 120;  // a question may cover a year

struct HttpAddress {
  std::string url;                                   // "http://127.0.0.1:4318"; without a scheme: http
  std::string token = {};                            // empty: none
  std::string authority_file = {};                   // whom to trust, for https (PEM); empty: whom the system does
  std::string certificate_file = {}, key_file = {};  // our own, where a controller asks for one (PEM)
  int patience_seconds = kUsualPatienceSeconds;      // with an answer, until it is whole
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// Unavailable: nobody answers there. Any status is an answer. `path` is encoded already.
Result<HttpAnswer> http_call(const HttpAddress& address, const std::string& method, const std::string& path,
                             const std::string& body = {}, const std::string& content_type = {});

}  // namespace atys::fleet
