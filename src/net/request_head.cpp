// SPDX-License-Identifier: Apache-2.0
#include "net/request_head.h"

#include <algorithm>
#include <charconv>

#include "base/hex.h"

namespace atys::net {

namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kEndOfLine = "\r\n";
constexpr size_t kLongestMethod = 16;

bool is_token_character(char c) {
  const bool is_alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// What is no escape stays as it is.
std::string decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && is_hex(text.substr(i + 1, 2));
    if (is_escape) {
      result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      result += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

std::optional<HeadError> parse_request_line(std::string_view line, RequestHead& head) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return HeadError{400, "the first line is no request"};
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  if (method.empty() || method.size() > kLongestMethod || !std::ranges::all_of(method, is_token_character))
    return HeadError{400, "the method is no word"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return HeadError{505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  head.keeps_connection = version == "HTTP/1.1";
  head.method = method;
  if (!parse_target(line.substr(first + 1, last - first - 1), head)) return HeadError{400, "the address is none"};
  return std::nullopt;
}

std::optional<HeadError> add_header(std::string_view line, RequestHead& head) {
  const size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return HeadError{400, "a header has no name"};
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  // A space before the colon, or at the start of a line that goes on, is read differently by different readers.
  if (!std::ranges::all_of(name, is_token_character)) return HeadError{400, "the name of a header is no word"};
  if (std::ranges::any_of(value, is_control)) return HeadError{400, "a header has characters that no text has"};
  head.headers.emplace_back(lower(name), value);
  return std::nullopt;
}

// Where the body ends: two answers to that are how requests are smuggled in.
std::optional<HeadError> find_body(RequestHead& head) {
  size_t hosts = 0;
  for (const auto& [name, value] : head.headers) {
    if (name == "host" && ++hosts > 1) return HeadError{400, "two hosts are named"};
    if (name == "transfer-encoding") {
      if (head.is_chunked || lower(value) != "chunked")
        return HeadError{501, "only chunked is understood as an encoding of transfer"};
      head.is_chunked = true;
    }
    if (name == "content-length") {
      uint64_t length = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
      if (value.empty() || error != std::errc{} || end != value.data() + value.size() || head.content_length)
        return HeadError{400, "Content-Length is not one number"};
      head.content_length = length;
    }
    if (name == "connection") {
      const std::string words = lower(value);
      if (words.find("close") != std::string::npos) head.keeps_connection = false;
    }
  }
  if (head.is_chunked && head.content_length) return HeadError{400, "the body is chunked, and has a length"};
  return std::nullopt;
}

}  // namespace

std::optional<size_t> find_head_end(std::string_view bytes, size_t searched) {
  const size_t from = searched < kEndOfHead.size() ? 0 : searched - kEndOfHead.size() + 1;
  const size_t found = bytes.find(kEndOfHead, from);
  return found == std::string_view::npos ? std::nullopt : std::optional(found + kEndOfHead.size());
}

std::optional<HeadError> check_head_size(std::string_view bytes, const Limits& limits) {
  const std::string_view line = bytes.substr(0, limits.most_line_bytes + kEndOfLine.size());
  if (line.size() > limits.most_line_bytes && line.find(kEndOfLine) == std::string_view::npos)
    return HeadError{414, "the address is too long"};
  if (bytes.size() > limits.most_head_bytes) return HeadError{431, "the headers are too long"};
  return std::nullopt;
}

bool parse_target(std::string_view target, RequestHead& head) {
  if (!target.starts_with('/')) return false;
  if (std::ranges::any_of(target, [](char c) { return is_control(c) || c == ' ' || c == '\t'; })) return false;
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  head.path = decoded(target.substr(0, question), false);
  std::string_view rest = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = part.find('=');
    if (part.empty()) continue;
    head.parameters.emplace(decoded(part.substr(0, equals), true),
                            equals == std::string_view::npos ? std::string() : decoded(part.substr(equals + 1), true));
  }
  return true;
}

std::optional<HeadError> parse_head(std::string_view text, const Limits& limits, RequestHead& head) {
  if (const auto error = check_head_size(text, limits)) return error;
  size_t line_number = 0;
  while (!text.empty()) {
    const size_t end = text.find(kEndOfLine);
    if (end == std::string_view::npos) return HeadError{400, "a line has no end"};
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + kEndOfLine.size());
    if (line.empty()) break;
    if (line_number++ > limits.most_headers) return HeadError{431, "there are too many headers"};
    const auto error = line_number == 1 ? parse_request_line(line, head) : add_header(line, head);
    if (error) return error;
  }
  if (line_number == 0) return HeadError{400, "the first line is no request"};
  return find_body(head);
}

}  // namespace atys::net
