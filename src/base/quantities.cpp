// SPDX-License-Identifier: Apache-2.0
#include "base/quantities.h"

#include <charconv>
#include <cmath>

namespace atys {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimes[] = {{"", 1e9}, {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},   {"µs", 1e3},
                           {"ns", 1}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
constexpr Unit kPercents[] = {{"", 0.01}, {"%", 0.01}};
constexpr Unit kFrequencies[] = {{"", 1}, {"Hz", 1}, {"hz", 1}, {"kHz", 1000}, {"khz", 1000}};
constexpr Unit kBytes[] = {{"", 1},     {"B", 1},        {"kB", 1e3},        {"KB", 1e3},          {"MB", 1e6},
                           {"GB", 1e9}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};

template <size_t N>
Result<double> parse(const std::string& text, const Unit (&units)[N], const char* what, const char* example) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && std::isfinite(number) && number > 0) {
    const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
    for (const Unit& known : units)
      if (known.name == unit) return number * known.factor;
  }
  return fail(ErrorCode::InvalidInput, "'" + text + "' is no " + what, std::string("write ") + example);
}

}  // namespace

Result<uint64_t> parse_duration(const std::string& text) {
  const double ns = TRY(parse(text, kTimes, "duration", "10s, 500ms or 2m"));
  if (ns < 1 || ns > 9e18)
    return fail(ErrorCode::InvalidInput, "'" + text + "' is no duration that can be waited for", "write 10s, 500ms or 2m");
  return static_cast<uint64_t>(ns);
}

Result<double> parse_percent(const std::string& text) { return parse(text, kPercents, "percentage", "1% or 0.5%"); }

Result<double> parse_frequency(const std::string& text) { return parse(text, kFrequencies, "rate", "99 or 4.9kHz"); }

Result<uint64_t> parse_bytes(const std::string& text) {
  const double bytes = TRY(parse(text, kBytes, "size", "64MB or 1GiB"));
  if (bytes < 1 || bytes > 9e18) return fail(ErrorCode::InvalidInput, "'" + text + "' is no size", "write 64MB or 1GiB");
  return static_cast<uint64_t>(bytes);
}

Result<std::pair<std::string, std::string>> parse_label(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return fail(ErrorCode::InvalidInput, "'" + text + "' is no label", "write KEY=VALUE");
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace atys
