// SPDX-License-Identifier: Apache-2.0
#include "net/http1_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/gzip.h"

namespace atys::net {

namespace {

constexpr size_t kWorthCompressing = 1400;  // what fits into a packet anyway
constexpr int kFastLevel = 2;

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "-";
  }
}

// A header is one line, whatever is in it.
void add_header(std::string& text, std::string_view name, std::string_view value) {
  text += name;
  text += ": ";
  for (const char c : value) text += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  text += "\r\n";
}

std::string begin_text(const Response& response, bool keeps_connection) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
  if (!response.type.empty()) add_header(text, "Content-Type", response.type);
  for (const auto& [name, value] : response.headers) add_header(text, name, value);
  add_header(text, "Connection", keeps_connection ? "keep-alive" : "close");
  return text;
}

bool is_text(std::string_view type) {
  return type.starts_with("text/") || type.starts_with("application/json") || type.starts_with("image/svg");
}

bool takes_gzip(const RequestHead& head) {
  const std::string* accepted = head.find("accept-encoding");
  if (accepted == nullptr) return false;
  const size_t at = accepted->find("gzip");
  return at != std::string::npos && std::string_view(*accepted).substr(at + 4, 6).find("q=0") == std::string_view::npos;
}

}  // namespace

Response plain_response(int status, std::string_view why) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = std::string(why) + "\n"};
}

std::string head_text(const Response& response, bool keeps_connection) {
  const size_t size = response.fixed_body.empty() ? response.body.size() : response.fixed_body.size();
  std::string text = begin_text(response, keeps_connection);
  add_header(text, "Content-Length", std::to_string(size));
  return text + "\r\n";
}

std::string stream_head_text(const Response& response) {
  std::string text = begin_text(response, false);
  add_header(text, "Transfer-Encoding", "chunked");
  return text + "\r\n";
}

std::string chunk_text(std::string_view bytes) {
  std::string text = fmt::format("{:x}\r\n", bytes.size());
  text += bytes;
  return text + "\r\n";
}

void compress(const RequestHead& head, Response& response) {
  if (response.body.size() < kWorthCompressing || !is_text(response.type) || !takes_gzip(head)) return;
  response.body = gzip(response.body, kFastLevel);
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

}  // namespace atys::net
