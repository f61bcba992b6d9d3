// SPDX-License-Identifier: Apache-2.0
#include "store/stretch.h"

#include <fmt/format.h>

#include <charconv>

namespace atys::store {

namespace {

constexpr int64_t kNsPerMs = 1'000'000;

// The number that the text begins with, which is cut off.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string to_text(const Stretch& stretch) {
  if (stretch.is_none()) return {};
  std::string began;
  if (stretch.began_ns > 0) began = fmt::format("-{}", stretch.began_ns / kNsPerMs);
  return fmt::format("{}/{}{}@{}", stretch.stream, stretch.number, began, stretch.rate);
}

std::optional<Stretch> parse_stretch(std::string_view text) {
  const size_t mark = text.rfind('@');
  if (mark == std::string_view::npos) return std::nullopt;
  const size_t slash = text.substr(0, mark).rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  std::string_view middle = text.substr(slash + 1, mark - slash - 1);
  std::string_view last = text.substr(mark + 1);
  const auto number = take_number<uint64_t>(middle);
  const auto rate = take_number<int64_t>(last);
  if (!number || !rate || !last.empty()) return std::nullopt;
  Stretch stretch{.stream = std::string(text.substr(0, slash)), .number = *number, .rate = *rate};
  if (middle.empty()) return stretch;
  if (middle.front() != '-') return std::nullopt;
  middle.remove_prefix(1);
  const auto began_ms = take_number<int64_t>(middle);
  if (!began_ms || !middle.empty() || *began_ms <= 0 || *began_ms >= INT64_MAX / kNsPerMs) return std::nullopt;
  stretch.began_ns = *began_ms * kNsPerMs;
  return stretch;
}

}  // namespace atys::store
