// SPDX-License-Identifier: Apache-2.0
// What verbs that listen on the network have in common.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace atys::cli {

bool is_loopback(const std::string& address);

// "127.0.0.1:8080", "[::1]:8080", "8080"
Result<std::pair<std::string, int>> parse_address(const std::string& text);

// Of a file that only its owner can read: a file that others can read keeps no secret. Made, with a new token, if it is not
// there.
Result<std::string> token_of_file(const std::string& path);
// The same of a file that has to be there.
Result<std::string> token_of_existing_file(const std::string& path);

}  // namespace atys::cli
