// SPDX-License-Identifier: Apache-2.0
// Responses as HTTP/1.1 writes them.
#pragma once

#include <string>
#include <string_view>

#include "net/message.h"

namespace atys::net {

Response plain_response(int status, std::string_view why);
// All but the body.
std::string head_text(const Response& response, bool keeps_connection);
std::string stream_head_text(const Response& response);
std::string chunk_text(std::string_view bytes);  // empty: the last

// Where the caller takes gzip and it is worth it.
void compress(const RequestHead& head, Response& response);

}  // namespace atys::net
