// SPDX-License-Identifier: Apache-2.0
// TLS of a server, by OpenSSL.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace atys::net {

// PEM, not files.
struct TlsTexts {
  std::string authority;  // who may connect, by certificate; empty: everybody
  std::string certificate, key;

  bool is_used() const { return !authority.empty() || !certificate.empty() || !key.empty(); }
};

struct TlsDeleter {
  void operator()(SSL* session) const;
  void operator()(SSL_CTX* context) const;
};
using TlsSession = std::unique_ptr<SSL, TlsDeleter>;
using TlsContext = std::unique_ptr<SSL_CTX, TlsDeleter>;

// `is_http2`: what is agreed on with the client (ALPN).
Result<TlsContext> create_tls(const TlsTexts& texts, bool is_http2);
TlsSession begin_tls(SSL_CTX& context, int socket);
// The common name of the other side's certificate; empty: it has shown none.
std::string peer_name(SSL& session);

}  // namespace atys::net
