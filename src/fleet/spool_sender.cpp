// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool_sender.h"

#include <algorithm>

namespace atys::fleet {

namespace {

constexpr uint64_t kFirstRetryNs = 500'000'000;
constexpr uint64_t kLongestRetryNs = 30'000'000'000;

}  // namespace

bool is_worth_sending_again(const Error& error) {
  return error.code == ErrorCode::Unavailable || error.code == ErrorCode::PermissionDenied;
}

Result<> SpoolSender::send(uint64_t now_ns, const std::function<bool()>& goes_on) {
  if (now_ns < next_ns_) return {};
  Result<> last;
  for (auto entry = spool_.oldest(); entry; entry = spool_.oldest()) {
    const Result<> sent = link_.send(entry->window);
    if (!sent.ok()) last = sent.error();
    if (!sent.ok() && is_worth_sending_again(sent.error())) {
      retry_ns_ = std::clamp(retry_ns_ * 2, kFirstRetryNs, kLongestRetryNs);
      next_ns_ = now_ns + retry_ns_;
      return last;
    }
    retry_ns_ = 0;
    spool_.remove(entry->name, sent.ok());
    if (!goes_on()) break;
  }
  return last;
}

}  // namespace atys::fleet
