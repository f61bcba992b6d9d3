// SPDX-License-Identifier: Apache-2.0
#include "fleet/service_query.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "base/quantities.h"
#include "base/strings.h"
#include "base/utc_time.h"
#include "reduce/pattern.h"

namespace atys::fleet {

namespace {

constexpr const char* kHint = "write service:NAME, service:NAME@-1h.. or service:NAME{version=1.2}@FROM..TO";

constexpr const char* kConditionHint = "write {version=1.2,node=web-1}";
constexpr size_t kMostConditions = 30;

using How = store::Matcher::How;

// The comparison that the text begins with, which is cut off.
std::optional<How> take_comparison(std::string_view& text) {
  for (const How how : {How::Like, How::NotLike, How::NotEqual, How::Equal}) {
    if (!text.starts_with(to_string(how))) continue;
    text.remove_prefix(to_string(how).size());
    return how;
  }
  return std::nullopt;
}

// Up to a comma, or in quotes. Nothing: there is no second quote.
std::optional<std::string> take_value(std::string_view& text) {
  if (!text.starts_with('"')) {
    std::string value(text.substr(0, text.find(',')));
    text.remove_prefix(value.size());
    return value;
  }
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("\\\"") || rest.starts_with("\\\\")) ++i;
    value += text[i];
  }
  return std::nullopt;
}

// The condition that the list begins with, which is cut off with its comma. Nothing: it is none.
std::optional<store::Matcher> take_condition(std::string_view& list) {
  const size_t name_end = list.find_first_of("=!,");
  if (name_end == 0 || name_end == std::string_view::npos) return std::nullopt;
  store::Matcher condition{.name = std::string(list.substr(0, name_end))};
  list.remove_prefix(name_end);
  const std::optional<How> how = take_comparison(list);
  std::optional<std::string> value = how ? take_value(list) : std::nullopt;
  if (!value || (!list.empty() && list.front() != ',')) return std::nullopt;
  if (!list.empty()) list.remove_prefix(1);
  condition.how = *how;
  condition.value = std::move(*value);
  return condition;
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
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

Result<> set_filter(ServiceQuery& query, store::Matcher condition) {
  const bool is_pattern = condition.how == How::Like || condition.how == How::NotLike;
  if (is_pattern) TRY(reduce::Pattern::compile(condition.value));
  if (query.matchers.size() >= kMostConditions)
    return fail(ErrorCode::InvalidInput, fmt::format("more than {} conditions", kMostConditions));
  if (condition.name == "kind" && condition.how == How::Equal)
    query.kind = std::move(condition.value);
  else
    query.matchers.push_back(std::move(condition));
  return {};
}

Result<> set_filters(ServiceQuery& query, std::string_view list) {
  while (!list.empty()) {
    const std::string first(list.substr(0, list.find(',')));
    std::optional<store::Matcher> condition = take_condition(list);
    if (!condition) return fail(ErrorCode::InvalidInput, "'" + first + "' is no condition", kConditionHint);
    TRY(set_filter(query, std::move(*condition)));
  }
  return {};
}

Result<ServiceQuery> parse_service_query(const std::string& text, int64_t now_ns) {
  if (!text.starts_with(kServicePrefix)) return fail(ErrorCode::InvalidInput, "'" + text + "' names no service", kHint);
  std::string rest = text.substr(kServicePrefix.size());
  ServiceQuery query;
  std::string from, to;
  // From the right: a service may have an '@' in its name if a time follows.
  const size_t braces_end = rest.rfind('}');
  const size_t at = rest.find('@', braces_end == std::string::npos ? rest.rfind('@') : braces_end);
  if (at != std::string::npos) {
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

std::string to_conditions(const std::vector<store::Matcher>& matchers) {
  return joined(matchers, ",", [](const store::Matcher& matcher) {
    return matcher.name + std::string(to_string(matcher.how)) + in_quotes(matcher.value);
  });
}

std::string to_parameters(const ServiceQuery& query) {
  const auto seconds = [](int64_t ns) { return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000); };
  std::string text = "service=" + percent_encode(query.service);
  text += "&from=" + seconds(query.from_ns) + "&to=" + seconds(query.to_ns);
  if (!query.kind.empty()) text += "&kind=" + percent_encode(query.kind);
  // Equalities by a parameter each, as controllers of earlier versions know them.
  std::vector<store::Matcher> others;
  for (const store::Matcher& matcher : query.matchers) {
    if (matcher.how != How::Equal) {
      others.push_back(matcher);
      continue;
    }
    const bool is_name = matcher.name == "version" || matcher.name == "node" || matcher.name == "instance";
    text += (is_name ? "&" : "&label.") + percent_encode(matcher.name) + "=" + percent_encode(matcher.value);
  }
  if (!others.empty()) text += "&match=" + percent_encode(to_conditions(others));
  return text;
}

}  // namespace atys::fleet
