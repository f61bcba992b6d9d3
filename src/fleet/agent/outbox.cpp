// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/outbox.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error_text.h"
#include "fleet/agent/window.h"
#include "fleet/clock_agreement.h"
#include "fleet/wire/shift_times.h"

namespace atys::fleet {

Outbox::Outbox(Spool spool, ControllerLink* link) : spool_(std::move(spool)) {
  if (link != nullptr) sender_.emplace(spool_, *link, [this](const Spool::Entry& entry) { return settle(entry); });
}

void Outbox::start() {
  if (sender_) thread_ = std::thread([this] { run(); });
}

void Outbox::put(const Profile& window) {
  if (!sender_) return;
  const Result<std::string> bytes = to_otlp(window);
  if (!bytes.ok()) return spool_.count_dropped(DropReason::Refused);
  bytes_recorded_ += bytes->size();
  const Result<> kept = spool_.put(*bytes, stamp_of(window.header.time_ns, window.header.duration_ns, read_clocks(), boot_));
  {
    const std::lock_guard lock(mutex_);
    has_new_window_ = true;
    if (!kept.ok()) trouble_ = "a window is lost: " + error_text(kept.error());
  }
  wake_.notify_all();
}

void Outbox::note_time(const ClockReading& before, const ClockReading& after, const Orders& orders) {
  const bool is_ours_synchronized = is_clock_synchronized();
  {
    const std::lock_guard lock(mutex_);
    if (orders.now_ns == 0)
      clock_.note_silence();
    else
      clock_.note(before, after, static_cast<int64_t>(orders.now_ns), is_ours_synchronized, orders.is_clock_synchronized);
    has_new_window_ = true;  // one may have waited for this
  }
  wake_.notify_all();
}

void Outbox::end_soon() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
}

void Outbox::end() {
  end_soon();
  if (!thread_.joinable()) return;
  thread_.join();
  (void)sender_->send(UINT64_MAX, [] { return true; }).ok();
}

Outbox::State Outbox::state() const {
  const std::lock_guard lock(mutex_);
  return {.spool = spool_.state(),
          .trouble = trouble_,
          .clock_trouble = clock_.trouble(),
          .clock_ahead_ns = clock_.ahead_ns(),
          .bytes_recorded = bytes_recorded_};
}

void Outbox::run() {
  do {
    const Result<> sent = sender_->send(clock_ns(CLOCK_MONOTONIC), [this] { return goes_on(); });
    const std::lock_guard lock(mutex_);
    if (!sent.ok()) trouble_ = error_text(sent.error());
    if (sent.ok() && sender_->try_again_ns() == 0) trouble_.clear();
  } while (wait_for_window(sender_->try_again_ns()));
}

bool Outbox::goes_on() const {
  const std::lock_guard lock(mutex_);
  return !is_ending_;
}

// Until there is another window, or one that had to wait may be tried again (0: there is none). False: we are to end.
bool Outbox::wait_for_window(uint64_t try_again_ns) {
  std::unique_lock lock(mutex_);
  const auto is_called = [this] { return is_ending_ || has_new_window_; };
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (try_again_ns == 0)
    wake_.wait(lock, is_called);
  else
    wake_.wait_for(lock, std::chrono::nanoseconds(try_again_ns - std::min(now, try_again_ns)), is_called);
  has_new_window_ = false;
  return !is_ending_;
}

// The window with the times that it has by the controller's clock, where they are others.
Result<std::optional<std::string>> Outbox::settle(const Spool::Entry& entry) const {
  std::optional<int64_t> shift_ns;
  {
    const std::lock_guard lock(mutex_);
    shift_ns = clock_.shift_of(*entry.stamp);
  }
  if (!shift_ns) return fail(ErrorCode::Unavailable, "the controller has not told its time yet");
  if (*shift_ns == 0) return std::optional<std::string>();
  return std::optional(TRY(shift_times(entry.window, *shift_ns)));
}

}  // namespace atys::fleet
