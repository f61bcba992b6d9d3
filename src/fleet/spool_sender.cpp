// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool_sender.h"

#include <algorithm>
#include <utility>

#include "fleet/wire/export_response.h"

namespace atys::fleet {

namespace {

constexpr uint64_t kFirstRetryNs = 500'000'000;
constexpr uint64_t kLongestRetryNs = 30'000'000'000;
constexpr size_t kMostHeld = 8;  // that are asked about again in one round

bool has_to_wait(const Result<>& sent) { return !sent.ok() && !reason_to_drop(sent.error()); }

}  // namespace

std::optional<DropReason> reason_to_drop(const Error& error) {
  if (error.code == ErrorCode::ResourceExhausted) return DropReason::TooLarge;
  if (error.code != ErrorCode::InvalidInput) return std::nullopt;
  return error.message.find(kTooOld) == std::string::npos ? DropReason::Refused : DropReason::TooOld;
}

// Durable before it is sent: what is sent again has the times that it was sent with first, or it would count twice.
Result<> SpoolSender::settle(Spool::Entry& entry) {
  if (!entry.stamp || !settle_) return {};
  std::optional<std::string> settled = TRY(settle_(entry));
  if (Result<> done = spool_.settle(entry.number, settled ? &*settled : nullptr); !done.ok())
    return fail(ErrorCode::Unavailable, "the spool: " + done.error().message, done.error().hint);
  if (settled) entry.window = std::move(*settled);
  return {};
}

Result<> SpoolSender::deliver(Spool::Entry entry) {
  TRY(settle(entry));
  Result<> sent = link_.send(entry.window);
  if (!has_to_wait(sent)) spool_.remove(entry.number, sent.ok() ? std::nullopt : reason_to_drop(sent.error()));
  return sent;
}

void SpoolSender::postpone(uint64_t now_ns) {
  ++failed_rounds_;
  retry_ns_ = std::clamp(retry_ns_ * 2, kFirstRetryNs, kLongestRetryNs);
  next_ns_ = now_ns + retry_ns_;
}

// Whether it is only some windows that are not taken, such as those of a day whose file the controller cannot open: then
// the newest is.
bool SpoolSender::is_way_open(Result<>& last) {
  Result<std::optional<Spool::Entry>> newest = spool_.newest();
  if (newest.ok() && !*newest) return true;
  Result<> sent = newest.ok() ? deliver(std::move(**newest)) : Result<>(newest.error());
  const bool is_open = newest.ok() && !has_to_wait(sent);
  if (!sent.ok()) last = std::move(sent);
  return is_open;
}

// Whether windows are left that have to wait. Passes by so many of them at most.
bool SpoolSender::walk(size_t most_held, const std::function<bool()>& goes_on, Result<>& last) {
  const uint64_t from = most_held > 1 ? std::exchange(held_up_to_, 0) : 0;
  size_t held = 0;
  for (uint64_t at = from;;) {
    Result<std::optional<Spool::Entry>> entry = spool_.after(at);
    if (!entry.ok()) last = entry.error();
    if (!entry.ok()) return true;
    if (!*entry) return held > 0 || from > 0;
    const uint64_t number = (*entry)->number;
    Result<> sent = deliver(std::move(**entry));
    const bool waits = has_to_wait(sent);
    if (!sent.ok()) last = std::move(sent);
    if (!waits && !goes_on()) return held > 0 || from > 0;
    if (!waits) continue;
    at = number;
    if (++held < most_held) continue;
    if (most_held > 1) held_up_to_ = number;
    return true;
  }
}

Result<> SpoolSender::send(uint64_t now_ns, const std::function<bool()>& goes_on) {
  if (now_ns < next_ns_) return {};
  Result<> last;
  // Every second time, so that nobody is asked more often than backing off allows.
  const bool passes_by = failed_rounds_ % 2 == 1;
  if ((passes_by && !is_way_open(last)) || walk(passes_by ? kMostHeld : 1, goes_on, last)) {
    postpone(now_ns);
  } else {
    retry_ns_ = failed_rounds_ = 0;
  }
  return last;
}

}  // namespace atys::fleet
