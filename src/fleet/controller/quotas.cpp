// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/quotas.h"

#include <fmt/format.h>

namespace atys::fleet {

namespace {

constexpr uint64_t kMinuteNs = 60'000'000'000;
constexpr Quota kOfNode{3'000, uint64_t{128} << 20};
constexpr uint64_t kSharedBy = 100;
constexpr size_t kWorthSweeping = 1000;

Result<> take(const Identity& identity, uint64_t& taken, uint64_t amount, uint64_t most, const char* what) {
  if (most > 0 && taken > 0 && taken + amount > most)
    return fail(ErrorCode::Unavailable, fmt::format("{} has sent its {} {} of this minute", identity.key, most, what),
                "it is sent again later; the operator can allow more: see --tokens");
  taken += amount;
  return {};
}

}  // namespace

Quota quota_of(const Identity& identity) {
  if (identity.role == Role::Admin) return {};
  const uint64_t times = identity.node.empty() ? kSharedBy : 1;
  const Scope& scope = identity.scope;
  return {scope.windows_per_minute > 0 ? scope.windows_per_minute : kOfNode.windows_per_minute * times,
          scope.bytes_per_minute > 0 ? scope.bytes_per_minute : kOfNode.bytes_per_minute * times};
}

// Bounded by how many tokens and nodes there are; those of minutes that are over are worth nothing.
Quotas::Taken& Quotas::taken_by(Book& book, const Identity& identity, uint64_t now_ns) {
  const uint64_t minute = now_ns / kMinuteNs + 1;
  if (book.size() > kWorthSweeping && !book.contains(identity.key))
    std::erase_if(book, [&](const auto& one) { return one.second.minute != minute; });
  Taken& taken = book[identity.key];
  if (taken.minute != minute) taken = {.minute = minute};
  return taken;
}

Result<> Quotas::take_bytes(const Identity& identity, uint64_t bytes, uint64_t now_ns) {
  const auto book = book_.lock();
  return take(identity, taken_by(*book, identity, now_ns).bytes, bytes, quota_of(identity).bytes_per_minute, "bytes");
}

Result<> Quotas::take_windows(const Identity& identity, uint64_t windows, uint64_t now_ns) {
  const auto book = book_.lock();
  return take(identity, taken_by(*book, identity, now_ns).windows, windows, quota_of(identity).windows_per_minute,
              "windows");
}

}  // namespace atys::fleet
