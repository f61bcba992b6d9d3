// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hex.h"

namespace atys::fleet {

namespace {

constexpr std::string_view kSuffix = ".otlp.gz";
constexpr size_t kLongestBoot = 32;

template <typename Number>
bool read_number(std::string_view digits, Number& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size();
}

bool is_boot(std::string_view text) { return !text.empty() && text.size() <= kLongestBoot && is_lower_hex(text); }

}  // namespace

std::string to_string(const SpoolName& name) {
  if (!name.stamp) return fmt::format("{:012}{}", name.number, kSuffix);
  return fmt::format("{:012}.{}.{}{}", name.number, name.stamp->boot, name.stamp->wall_ahead_ns, kSuffix);
}

std::optional<SpoolName> parse_spool_name(std::string_view text) {
  if (!text.ends_with(kSuffix)) return std::nullopt;
  text.remove_suffix(kSuffix.size());
  SpoolName name;
  const size_t first = text.find('.');
  if (!read_number(text.substr(0, first), name.number)) return std::nullopt;
  if (first == std::string_view::npos) return name;
  const size_t second = text.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  ClockStamp stamp{std::string(text.substr(first + 1, second - first - 1))};
  if (!is_boot(stamp.boot) || !read_number(text.substr(second + 1), stamp.wall_ahead_ns)) return std::nullopt;
  name.stamp = std::move(stamp);
  return name;
}

}  // namespace atys::fleet
