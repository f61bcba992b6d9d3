// SPDX-License-Identifier: Apache-2.0
// One condition on windows: a name, how its value is compared, and with what. Names are "service", "kind", "version",
// "node", "instance", and the keys of labels. A window without a label has an empty value of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace atys::store {

struct Matcher {
  enum class How : uint8_t { Equal, NotEqual, Like, NotLike };

  std::string name;
  How how = How::Equal;
  std::string value;  // of Like and NotLike: a regular expression that the whole value fits (RE2)

  bool operator==(const Matcher&) const = default;
};

inline Matcher equals(std::string name, std::string value) {
  return {std::move(name), Matcher::How::Equal, std::move(value)};
}

constexpr std::string_view to_string(Matcher::How how) {
  constexpr std::string_view kTexts[] = {"=", "!=", "=~", "!~"};
  return kTexts[static_cast<size_t>(how)];
}

}  // namespace atys::store
