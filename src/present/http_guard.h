// SPDX-License-Identifier: Apache-2.0
// Who may talk to us over HTTP. A page in somebody's browser can send requests to this machine too: such a request names
// the page's origin, or a host that is not ours (DNS rebinding), and is refused; a token keeps out other users.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/access.h"

namespace atys::present {

struct HttpGuard {
  Access access;
  std::vector<std::string> hosts;  // names that we may be called by, besides those of this machine
  bool any_address = false;        // or by whatever address: what rebinds a name cannot be told from a number

  struct Refusal {
    int status = 403;
    std::string why;
  };
  // `origin` and `authorization` are null where the request has no such header. 401: nobody's token; 403: not theirs to do.
  std::optional<Refusal> check(const std::string& host, const std::string* origin, const std::string* authorization,
                               Role needs = Role::Admin) const;
  // The same for what everybody may see.
  std::optional<Refusal> check_place(const std::string& host, const std::string* origin) const;

 private:
  bool is_our_name(std::string_view authority) const;
  bool is_our_host(std::string_view authority) const;
};

}  // namespace atys::present
