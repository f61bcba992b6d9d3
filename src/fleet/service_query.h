// SPDX-License-Identifier: Apache-2.0
// Which of a fleet's profiles a question is about, as people write it:
//   service:shop                          the last hour
//   service:shop@-30m..                   the last half hour
//   service:shop@2026-11-15T02:00:00Z..2026-11-15T03:00:00Z
//   service:shop{version=1.2,node=web-1}@-1h..-30m
// Keys are kind, version, node, instance, or a label.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::fleet {

struct ServiceQuery {
  std::string service;
  std::string kind;  // empty: cpu, or what there is
  std::optional<std::string> version, node, instance;
  std::map<std::string, std::string> labels;
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
// "version" and the like, or a label.
Result<> set_filter(ServiceQuery& query, const std::string& key, const std::string& value);

Result<ServiceQuery> parse_service_query(const std::string& text, int64_t now_ns);
// As parameters of a request: "service=shop&from=…".
std::string to_parameters(const ServiceQuery& query);
std::string percent_encode(std::string_view text);

}  // namespace atys::fleet
