// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/transport/http_guard.h"

#include <sys/random.h>

#include <algorithm>
#include <array>

namespace atys::present::mcp {

namespace {

// "localhost:8080" and "[::1]:8080" without the port.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

}  // namespace

bool HttpGuard::is_our_name(std::string_view authority) const {
  const std::string_view host = host_of(authority);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]" || std::ranges::find(hosts, host) != hosts.end();
}

std::optional<HttpGuard::Refusal> HttpGuard::check(const std::string& host, const std::string* origin,
                                                   const std::string* authorization) const {
  if (!is_our_name(host)) return Refusal{403, "not a name of this server; the operator can allow it: --host NAME"};
  if (origin != nullptr) {
    const size_t scheme = origin->find("://");
    const bool is_ours = scheme != std::string::npos && is_our_name(std::string_view(*origin).substr(scheme + 3));
    if (!is_ours) return Refusal{403, "requests from that origin are not taken"};
  }
  if (token.empty()) return std::nullopt;
  constexpr std::string_view kBearer = "Bearer ";
  const bool has_token = authorization != nullptr && authorization->starts_with(kBearer) &&
                         equal_in_constant_time(std::string_view(*authorization).substr(kBearer.size()), token);
  if (!has_token) return Refusal{401, "send the token: Authorization: Bearer TOKEN"};
  return std::nullopt;
}

Result<std::string> random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return fail_errno("make a token");
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace atys::present::mcp
