// SPDX-License-Identifier: Apache-2.0
// Which of a fleet's profiles a question is about, as people write it:
//   service:shop                          the last hour
//   service:shop@-30m..                   the last half hour
//   service:shop@2026-11-15T02:00:00Z..2026-11-15T03:00:00Z
//   service:shop{version=1.2,node=web-1}@-1h..-30m
//   service:shop{node!=web-1,version=~"1\..*"}
// Keys are kind, version, node, instance, or a label; =~ and !~ compare with a regular expression that the whole value fits.
// In quotes a value may hold anything; \" is a quote, \\ a backslash, and so is one before anything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/matcher.h"

namespace atys::fleet {

struct ServiceQuery {
  std::string service;
  std::string kind;  // empty: cpu, or what there is
  std::vector<store::Matcher> matchers = {};
  int64_t from_ns = 0;  // Unix time, [from, to)
  int64_t to_ns = 0;

  bool operator==(const ServiceQuery&) const = default;
};

inline constexpr std::string_view kServicePrefix = "service:";
inline constexpr int64_t kDefaultRangeNs = 3'600'000'000'000;

// "-1h", "now", "2026-11-15T02:00:00Z", Unix seconds; what is relative is so to `now_ns`.
Result<int64_t> parse_moment(const std::string& text, int64_t now_ns);
// Both may be empty: up to now, and an hour.
Result<> set_range(ServiceQuery& query, const std::string& from, const std::string& to, int64_t now_ns);
// Adds a condition: "kind" and the like, or a label.
Result<> set_filter(ServiceQuery& query, store::Matcher condition);
// What stands between braces, and back.
Result<> set_filters(ServiceQuery& query, std::string_view list);
std::string to_conditions(const std::vector<store::Matcher>& matchers);

Result<ServiceQuery> parse_service_query(const std::string& text, int64_t now_ns);
// As parameters of a request: "service=shop&from=…".
std::string to_parameters(const ServiceQuery& query);
std::string percent_encode(std::string_view text);

}  // namespace atys::fleet
