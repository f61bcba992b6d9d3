// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/token_in_clear.h"

#include <arpa/inet.h>

#include <cstdlib>

namespace atys::fleet {

namespace {

std::string_view without_scheme(std::string_view address) {
  for (const std::string_view scheme : {"http://", "https://", "dns:///", "dns:", "ipv4:", "ipv6:"})
    if (address.starts_with(scheme)) return address.substr(scheme.size());
  return address;
}

std::string host_of(std::string_view address) {
  address = without_scheme(address);
  address = address.substr(0, address.find_first_of("/?#"));
  if (address.starts_with('[')) return std::string(address.substr(1, address.find(']') - 1));
  const bool is_bare_ipv6 = address.find(':') != address.rfind(':');
  return std::string(is_bare_ipv6 ? address : address.substr(0, address.rfind(':')));
}

}  // namespace

bool stays_on_machine(std::string_view address) {
  if (address.starts_with("unix:") || address.starts_with("unix-abstract:")) return true;
  const std::string host = host_of(address);
  if (host == "localhost") return true;
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

Result<> check_token_is_safe(std::string_view address, std::string_view token, bool uses_tls, bool is_allowed,
                             const std::string& how_to_use_tls, const std::string& how_to_allow) {
  if (token.empty() || uses_tls || is_allowed || stays_on_machine(address)) return {};
  if (const char* told = std::getenv("ATYS_INSECURE_TOKEN"); told != nullptr && std::string_view(told) == "1") return {};
  return fail(ErrorCode::PermissionDenied,
              "the token would be sent to " + std::string(address) + " in clear, for everybody on the way to read",
              how_to_use_tls + "; in a network that you trust, " + how_to_allow);
}

}  // namespace atys::fleet
