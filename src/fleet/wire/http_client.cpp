// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/http_client.h"

#include <httplib.h>

#include <chrono>

#include "fleet/wire/token_in_clear.h"

namespace atys::fleet {

namespace {

constexpr time_t kConnectSeconds = 5;
constexpr size_t kMostAnswerBytes = size_t{1} << 30;

const char* reason(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout: return "it cannot be reached";
    case httplib::Error::SSLConnection: return "it does not speak TLS as we do";
    case httplib::Error::SSLLoadingCerts: return "the file with whom to trust cannot be read";
    case httplib::Error::SSLServerVerification: return "nobody that is trusted vouches for its certificate";
    case httplib::Error::Canceled: return "its answer is too long, or takes too long";
    default: return "it does not answer as a controller does, or not in time";
  }
}

}  // namespace

Result<HttpAnswer> http_call(const HttpAddress& address, const std::string& method, const std::string& path,
                             const std::string& body, const std::string& content_type) {
  const bool has_scheme = address.url.find("://") != std::string::npos;
  std::string url = has_scheme ? address.url : "http://" + address.url;
  while (url.ends_with('/')) url.pop_back();
  TRY(check_token_is_safe(url, address.token, url.starts_with("https://"), false, "write https://HOST:PORT",
                          "set ATYS_INSECURE_TOKEN=1"));
  const Error nobody = fail(ErrorCode::Unavailable, "no controller answers at " + address.url,
                            "start one with atys controller, or say where it is: ATYS_CONTROLLER or --controller");
  try {
    httplib::Client client(url, address.certificate_file, address.key_file);
    if (!client.is_valid())
      return fail(ErrorCode::InvalidInput, "'" + address.url + "' is no address of a controller", "write http://HOST:PORT");
    if (!address.authority_file.empty()) client.set_ca_cert_path(address.authority_file);
    client.set_connection_timeout(kConnectSeconds);
    client.set_read_timeout(address.patience_seconds);
    const auto too_late = std::chrono::steady_clock::now() + std::chrono::seconds(address.patience_seconds);
    client.set_url_encode(false);
    httplib::Request request;
    request.method = method;
    request.path = path;
    request.body = body;
    if (!address.token.empty()) request.set_header("Authorization", "Bearer " + address.token);
    if (!content_type.empty()) request.set_header("Content-Type", content_type);
    std::string received;
    request.content_receiver = [&](const char* bytes, size_t size, uint64_t, uint64_t) {
      received.append(bytes, size);
      return received.size() <= kMostAnswerBytes && std::chrono::steady_clock::now() < too_late;
    };
    const httplib::Result result = client.send(request);
    if (!result) {
      Error error = nobody;
      error.message += std::string(": ") + reason(result.error());
      return error;
    }
    return HttpAnswer{result->status, received.empty() ? result->body : std::move(received)};
  } catch (const std::exception& error) {
    return fail(ErrorCode::InvalidInput, "'" + address.url + "' is no address of a controller: " + error.what(),
                "write http://HOST:PORT");
  }
}

}  // namespace atys::fleet
