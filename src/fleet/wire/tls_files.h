// SPDX-License-Identifier: Apache-2.0
// Which PEM files a connection is secured with. None: it is not.
#pragma once

#include <string>

#include "base/result.h"
#include "net/tls.h"

namespace atys::fleet {

struct TlsFiles {
  std::string authority = {};    // whom to trust; at a server: who may call, by certificate (mutual TLS)
  std::string certificate = {};  // our own
  std::string key = {};

  bool is_used() const { return !authority.empty() || !certificate.empty() || !key.empty(); }
};

// The content of the files; empty where none is named.
using TlsTexts = net::TlsTexts;
Result<TlsTexts> read_tls(const TlsFiles& files);

}  // namespace atys::fleet
