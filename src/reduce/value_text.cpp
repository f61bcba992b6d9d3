// SPDX-License-Identifier: Apache-2.0
#include "reduce/value_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace atys::reduce {

namespace {

struct Step {
  double at_least;
  const char* name;
};

constexpr std::array<Step, 6> kTimes = {{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};
constexpr std::array<Step, 5> kSizes = {
    {{0x1p50, "PiB"}, {0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}}};

// Three significant digits or all before the point.
std::string scaled(double value, double step, const char* name) {
  const double shown = value / step;
  const int decimals = std::abs(shown) >= 100 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, shown, name);
  return text;
}

std::string with_separators(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, ",");
  return digits;
}

double seconds_of(std::string_view unit) {
  if (unit == "nanoseconds" || unit == "ns") return 1e-9;
  if (unit == "microseconds" || unit == "us" || unit == "µs") return 1e-6;
  if (unit == "milliseconds" || unit == "ms") return 1e-3;
  return unit == "seconds" || unit == "s" ? 1 : 0;
}

}  // namespace

std::string value_text(int64_t value, std::string_view unit) {
  const auto number = static_cast<double>(value);
  if (const double seconds = seconds_of(unit); seconds > 0) {
    for (const Step& step : kTimes) {
      if (std::abs(number * seconds) >= step.at_least * 0.9999999) return scaled(number * seconds, step.at_least, step.name);
    }
    return std::to_string(std::llround(number * seconds * 1e9)) + " ns";
  }
  if (unit == "bytes" || unit == "byte" || unit == "By" || unit == "B") {
    for (const Step& step : kSizes) {
      if (std::abs(number) >= step.at_least) return scaled(number, step.at_least, step.name);
    }
    return std::to_string(value) + " B";
  }
  const bool is_plain = unit.empty() || unit == "count" || unit == "samples" || unit == "objects" || unit == "1";
  return with_separators(value) + (is_plain ? "" : " " + std::string(unit));
}

std::string share_text(double part, double whole) {
  const double percent = whole == 0 ? 0 : 100 * part / whole;
  char text[32];
  std::snprintf(text, sizeof text, std::abs(percent) >= 9.995 || percent == 0 ? "%.3g%%" : "%.2g%%", percent);
  return text;
}

}  // namespace atys::reduce
