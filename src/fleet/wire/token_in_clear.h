// SPDX-License-Identifier: Apache-2.0
// A token that is sent without TLS is read by whoever is on the way.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::fleet {

// HOST:PORT, a URL, or an address of gRPC: whether what is sent there stays on this machine. Names other than localhost do
// not: who answers for them decides where they lead.
bool stays_on_machine(std::string_view address);

// An error where the token would leave this machine in clear. `is_allowed`: somebody said that it may, by the option, which
// the error names, or by the variable ATYS_INSECURE_TOKEN.
Result<> check_token_is_safe(std::string_view address, std::string_view token, bool uses_tls, bool is_allowed,
                             const std::string& how_to_use_tls, const std::string& how_to_allow);

}  // namespace atys::fleet
