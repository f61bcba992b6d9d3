// SPDX-License-Identifier: Apache-2.0
#include "present/http_guard.h"

#include <arpa/inet.h>

#include <algorithm>

namespace atys::present {

namespace {

// "localhost:8080" and "[::1]:8080" without the port.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

bool is_number(std::string_view host) {
  std::string text(host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host);
  in6_addr address{};
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 || ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace

bool HttpGuard::is_our_name(std::string_view authority) const {
  const std::string_view host = host_of(authority);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]" || std::ranges::find(hosts, host) != hosts.end();
}

bool HttpGuard::is_our_host(std::string_view authority) const {
  return is_our_name(authority) || (any_address && is_number(host_of(authority)));
}

std::optional<HttpGuard::Refusal> HttpGuard::check_place(const std::string& host, const std::string* origin) const {
  if (!is_our_host(host)) return Refusal{403, "not a name of this server; the operator can allow it: --host NAME"};
  if (origin != nullptr) {
    const size_t scheme = origin->find("://");
    const std::string_view from = scheme == std::string::npos ? "" : std::string_view(*origin).substr(scheme + 3);
    const bool is_ours = scheme != std::string::npos && (is_our_name(from) || from == host);
    if (!is_ours) return Refusal{403, "requests from that origin are not taken"};
  }
  return std::nullopt;
}

std::optional<HttpGuard::Refusal> HttpGuard::check(const std::string& host, const std::string* origin,
                                                   const std::string* authorization, Role needs) const {
  if (auto refusal = check_place(host, origin)) return refusal;
  const std::optional<Role> role = access.role_of(authorization == nullptr ? "" : *authorization);
  if (!role) return Refusal{401, "send the token: Authorization: Bearer TOKEN"};
  if (!Access::may(*role, needs))
    return Refusal{403, std::string("this token has the role ") + to_string(*role) + ", and this needs " + to_string(needs)};
  return std::nullopt;
}

}  // namespace atys::present
