// SPDX-License-Identifier: Apache-2.0
// Reads the head of an HTTP/1 request, strictly: what two readers could understand differently is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/limits.h"
#include "net/message.h"

namespace atys::net {

struct HeadError {
  int status = 400;
  const char* why = "";
};

// How far the head goes, with the empty line that ends it; nothing: it is not whole yet. `searched`: so many bytes hold no
// end, as an earlier call found.
std::optional<size_t> find_head_end(std::string_view bytes, size_t searched);

// What is wrong with a head that is not whole yet, from its size alone.
std::optional<HeadError> check_head_size(std::string_view bytes, const Limits& limits);

// `text` is a whole head. Into `head`; nothing: it is one.
std::optional<HeadError> parse_head(std::string_view text, const Limits& limits, RequestHead& head);

// "/a%20b?c=d" into path and parameters; false: it is no address of ours.
bool parse_target(std::string_view target, RequestHead& head);

}  // namespace atys::net
