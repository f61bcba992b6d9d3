// SPDX-License-Identifier: Apache-2.0
#include "capture/python/lasting_code.h"

namespace atys::capture::python {

void LastingCode::see(linux::MemoryReader& memory, const atys_cookie& cookie, const atys_walked& walked, bool may_last,
                      uint64_t now_ns) {
  if (walked.cookie == 0) return;
  if (seen_.size() >= kMostCodes) seen_.clear();
  Seen& seen = seen_[code_of(walked)];
  if (seen.cookie != walked.cookie) {
    seen = {walked.cookie, now_ns + kLastsNs, 0, seen.cookie != 0 || !may_last};
    return;
  }
  if (seen.has_changed || ++seen.times < kSeenOften || now_ns < seen.tell_at_ns) return;
  seen.tell_at_ns = now_ns + kAgainNs;
  if (const auto lasting = read_lasting(memory, cookie, walked)) found_.push_back(*lasting);
}

}  // namespace atys::capture::python
