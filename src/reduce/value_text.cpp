// SPDX-License-Identifier: Apache-2.0
#include "reduce/value_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace atys::reduce {

namespace {

struct Step {
  double size;
  std::string_view name;
  std::string_view ascii;
};

constexpr std::array<Step, 7> kTimes = {{{86400e9, "d", "d"},
                                         {3600e9, "h", "h"},
                                         {60e9, "min", "min"},
                                         {1e9, "s", "s"},
                                         {1e6, "ms", "ms"},
                                         {1e3, "µs", "us"},
                                         {1, "ns", "ns"}}};
constexpr size_t kSecond = 3;
constexpr std::array<Step, 6> kSizes = {{{0x1p50, "PiB", "PiB"},
                                         {0x1p40, "TiB", "TiB"},
                                         {0x1p30, "GiB", "GiB"},
                                         {0x1p20, "MiB", "MiB"},
                                         {0x1p10, "KiB", "KiB"},
                                         {1, "B", "B"}}};

// How values of a unit are shown: those times `factor` are in the last of the steps. No steps: as they are.
struct Scale {
  double factor = 1;
  std::span<const Step> steps;
  std::span<const Step> column_steps;
};

Scale scale_of(std::string_view unit) {
  const auto times = [](double factor) { return Scale{factor, kTimes, std::span(kTimes).subspan(kSecond)}; };
  if (unit == "nanoseconds" || unit == "ns") return times(1);
  if (unit == "microseconds" || unit == "us" || unit == "µs") return times(1e3);
  if (unit == "milliseconds" || unit == "ms") return times(1e6);
  if (unit == "seconds" || unit == "s") return times(1e9);
  if (unit == "bytes" || unit == "byte" || unit == "By" || unit == "B") return {1, kSizes, kSizes};
  return {};
}

// The largest step that is not above the value, else the smallest.
const Step& step_for(double value, std::span<const Step> steps) {
  for (const Step& step : steps) {
    if (std::abs(value) >= step.size) return step;
  }
  return steps.back();
}

std::string with_separators(std::string digits) {
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, ",");
  return digits;
}

}  // namespace

std::string value_text(int64_t value, std::string_view unit) {
  if (const Scale scale = scale_of(unit); !scale.steps.empty()) {
    const double number = static_cast<double>(value) * scale.factor;
    const Step& step = step_for(number, scale.steps);
    const double shown = number / step.size;
    // Three significant digits or all before the point; the smallest step is whole.
    const int decimals = step.size == 1 || std::abs(shown) >= 100 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
    return fmt::format("{:.{}f} {}", shown, decimals, step.name);
  }
  const bool is_plain = unit.empty() || unit == "count" || unit == "samples" || unit == "objects" || unit == "1";
  return with_separators(std::to_string(value)) + (is_plain ? "" : " " + std::string(unit));
}

std::string quantity(double value, std::string_view unit) {
  if (const Scale scale = scale_of(unit); !scale.steps.empty()) {
    const double number = value * scale.factor;
    const Step& step = step_for(number, scale.column_steps);
    return fmt::format("{:.{}f}{}", number / step.size, std::abs(number) >= 1 ? 2 : 0, step.ascii);
  }
  if (std::abs(value) >= 1e18) return fmt::format("{:.4g}", value);
  return with_separators(fmt::format("{:.0f}", value == 0 ? 0 : value));  // a zero has no sign
}

std::string share_text(double part, double whole) {
  const double percent = whole == 0 ? 0 : 100 * part / whole;
  return fmt::format("{:.{}g}%", percent, std::abs(percent) >= 9.995 ? 3 : 2);
}

}  // namespace atys::reduce
