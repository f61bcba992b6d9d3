// SPDX-License-Identifier: Apache-2.0
#include "budget/charge.h"

#include <fmt/format.h>

#include <algorithm>

namespace atys::budget {

namespace {

template <typename Function>
Charge combined(const Charge& a, const Charge& b, const Function& function) {
  Charge result;
  for (const Resource& resource : kResources) result.*resource.amount = function(a.*resource.amount, b.*resource.amount);
  return result;
}

}  // namespace

Charge add(const Charge& a, const Charge& b) {
  return combined(a, b, [](uint64_t x, uint64_t y) { return x > kUnbounded - y ? kUnbounded : x + y; });
}

Charge subtract(const Charge& a, const Charge& b) {
  return combined(a, b, [](uint64_t x, uint64_t y) { return x == kUnbounded ? x : x - std::min(x, y); });
}

Charge smaller(const Charge& a, const Charge& b) {
  return combined(a, b, [](uint64_t x, uint64_t y) { return std::min(x, y); });
}

const Resource* first_lacking(const Charge& least, const Charge& left) {
  const auto* found = std::ranges::find_if(
      kResources, [&](const Resource& resource) { return least.*resource.amount > left.*resource.amount; });
  return found == kResources.end() ? nullptr : found;
}

std::string amount_text(const Resource& resource, uint64_t amount) {
  if (amount == kUnbounded) return "no limit";
  if (resource.unit == Unit::Count) return std::to_string(amount);
  // Down, never up: what is said to be left must be there.
  const uint64_t ms = amount / 1'000'000;
  if (ms < 1000) return fmt::format("{} ms", ms);
  return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
}

}  // namespace atys::budget
