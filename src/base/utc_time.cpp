// SPDX-License-Identifier: Apache-2.0
#include "base/utc_time.h"

#include <charconv>
#include <ctime>

namespace atys {

namespace {

// ".25" → 250,000,000; nothing → 0. False if there is anything else.
bool parse_fraction(std::string_view text, int64_t& nanoseconds) {
  nanoseconds = 0;
  if (text.empty()) return true;
  if (text.front() != '.' || text.size() < 2 || text.size() > 10) return false;
  int64_t place = 100'000'000;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9') return false;
    nanoseconds += (c - '0') * place;
    place /= 10;
  }
  return true;
}

}  // namespace

Result<int64_t> parse_time(const std::string& text) {
  const Error bad =
      fail(ErrorCode::InvalidInput, "bad time '" + text + "'", "write it as 2026-11-15T02:00:00Z or as Unix seconds");
  int64_t fraction = 0;
  int64_t seconds = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (code == std::errc() && parse_fraction({rest, text.data() + text.size()}, fraction))
    return seconds * 1'000'000'000 + fraction;

  std::tm parts = {};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr || !text.ends_with('Z')) return bad;
  if (!parse_fraction({end, text.data() + text.size() - 1}, fraction)) return bad;
  return static_cast<int64_t>(::timegm(&parts)) * 1'000'000'000 + fraction;
}

std::string time_text(int64_t unix_ns) {
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm parts = {};
  char text[32];
  if (::gmtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    return "?";
  return text;
}

}  // namespace atys
