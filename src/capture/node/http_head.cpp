// SPDX-License-Identifier: Apache-2.0
#include "capture/node/http_head.h"

#include <algorithm>

#include "linux/proc_text.h"

namespace atys::capture::node {

namespace {

constexpr size_t kMostFields = 100;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

std::string_view HttpHead::value_of(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? std::string_view{} : found->second;
}

Result<HttpHead> parse_http_head(std::string_view text) {
  HttpHead head;
  const std::string_view first = text.substr(0, text.find('\n'));
  const size_t space = first.find(' ');
  const auto status = space == std::string_view::npos ? std::nullopt : linux::parse_number<int>(first.substr(space + 1, 3));
  if (!first.starts_with("HTTP/1.") || !status) return fail(ErrorCode::InvalidInput, "what answers does not speak HTTP");
  head.status = *status;
  linux::for_each_line(text, [&](std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.data() == text.data() || head.fields.size() >= kMostFields) return;
    head.fields.emplace_back(lower(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
  });
  return head;
}

Result<size_t> body_bytes(const HttpHead& head, size_t most) {
  const auto length = linux::parse_number<size_t>(head.value_of("content-length"));
  if (!length) return fail(ErrorCode::InvalidInput, "an HTTP answer does not say how long it is");
  if (*length > most) return fail(ErrorCode::ResourceExhausted, "an HTTP answer is longer than it can reasonably be");
  return *length;
}

}  // namespace atys::capture::node
