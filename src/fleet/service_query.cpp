// SPDX-License-Identifier: Apache-2.0
#include "fleet/service_query.h"

#include <fmt/format.h>

#include <cctype>

#include "base/quantities.h"
#include "base/utc_time.h"

namespace atys::fleet {

namespace {

constexpr const char* kHint = "write service:NAME, service:NAME@-1h.. or service:NAME{version=1.2}@FROM..TO";

Result<> set_filters(ServiceQuery& query, std::string_view list) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string pair(list.substr(0, comma));
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(ErrorCode::InvalidInput, "'" + pair + "' is no condition", "write {version=1.2,node=web-1}");
    TRY(set_filter(query, pair.substr(0, equals), pair.substr(equals + 1)));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return {};
}

}  // namespace

Result<int64_t> parse_moment(const std::string& text, int64_t now_ns) {
  if (text == "now") return now_ns;
  if (text.starts_with('-')) return now_ns - static_cast<int64_t>(TRY(parse_duration(text.substr(1))));
  return parse_time(text);
}

Result<> set_range(ServiceQuery& query, const std::string& from, const std::string& to, int64_t now_ns) {
  query.to_ns = to.empty() ? now_ns : TRY(parse_moment(to, now_ns));
  query.from_ns = from.empty() ? query.to_ns - kDefaultRangeNs : TRY(parse_moment(from, now_ns));
  if (query.from_ns >= query.to_ns)
    return fail(ErrorCode::InvalidInput, "the time ends before it begins", "write FROM..TO, e.g. -1h..now");
  return {};
}

Result<> set_filter(ServiceQuery& query, const std::string& key, const std::string& value) {
  if (key == "kind")
    query.kind = value;
  else if (key == "version")
    query.version = value;
  else if (key == "node")
    query.node = value;
  else if (key == "instance")
    query.instance = value;
  else
    query.labels[key] = value;
  return {};
}

Result<ServiceQuery> parse_service_query(const std::string& text, int64_t now_ns) {
  if (!text.starts_with(kServicePrefix)) return fail(ErrorCode::InvalidInput, "'" + text + "' names no service", kHint);
  std::string rest = text.substr(kServicePrefix.size());
  ServiceQuery query;
  std::string from, to;
  // From the right: a service may have an '@' in its name if a time follows.
  if (const size_t at = rest.rfind('@'); at != std::string::npos) {
    const std::string range = rest.substr(at + 1);
    const size_t dots = range.find("..");
    from = range.substr(0, dots);
    if (dots != std::string::npos) to = range.substr(dots + 2);
    rest.resize(at);
  }
  if (const size_t brace = rest.find('{'); brace != std::string::npos) {
    if (!rest.ends_with('}')) return fail(ErrorCode::InvalidInput, "'" + text + "' has a '{' without its '}'", kHint);
    TRY(set_filters(query, std::string_view(rest).substr(brace + 1, rest.size() - brace - 2)));
    rest.resize(brace);
  }
  if (rest.empty()) return fail(ErrorCode::InvalidInput, "'" + text + "' names no service", kHint);
  query.service = rest;
  TRY(set_range(query, from, to, now_ns));
  return query;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain && byte < 128)
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::string to_parameters(const ServiceQuery& query) {
  const auto seconds = [](int64_t ns) { return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000); };
  std::string text = "service=" + percent_encode(query.service);
  text += "&from=" + seconds(query.from_ns) + "&to=" + seconds(query.to_ns);
  if (!query.kind.empty()) text += "&kind=" + percent_encode(query.kind);
  if (query.version) text += "&version=" + percent_encode(*query.version);
  if (query.node) text += "&node=" + percent_encode(*query.node);
  if (query.instance) text += "&instance=" + percent_encode(*query.instance);
  for (const auto& [key, value] : query.labels) text += "&label." + percent_encode(key) + "=" + percent_encode(value);
  return text;
}

}  // namespace atys::fleet
