// SPDX-License-Identifier: Apache-2.0
// How many bytes of messages are inside, waiting or being worked on. What would be too much is turned away at the door, to
// be sent again later, so that a crowd of senders costs bounded memory. Every call may come from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/result.h"

namespace atys::fleet {

class Admission {
 public:
  // Gives its bytes back when it ends.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept : door_(std::exchange(other.door_, nullptr)), bytes_(other.bytes_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(door_, other.door_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Ticket() {
      if (door_ != nullptr) door_->inside_ -= bytes_;
    }

   private:
    friend class Admission;
    Ticket(Admission& door, size_t bytes) : door_(&door), bytes_(bytes) {}
    Admission* door_ = nullptr;
    size_t bytes_ = 0;
  };

  explicit Admission(size_t most_bytes) : most_(most_bytes) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Unavailable where it does not fit. A message that is alone fits whatever its size, which is bounded elsewhere.
  Result<Ticket> admit(size_t bytes) {
    Ticket ticket(*this, 0);
    TRY(extend(ticket, bytes));
    return ticket;
  }

  // A message that grows keeps what it has. Likewise Unavailable, and likewise one that is alone fits.
  Result<> extend(Ticket& ticket, size_t to_bytes) {
    const size_t has = ticket.door_ == nullptr ? 0 : ticket.bytes_;
    if (to_bytes <= has) return {};
    const size_t more = to_bytes - has;
    const size_t before = inside_.fetch_add(more);
    if (before > has && before + more > most_) {
      inside_ -= more;
      ++turned_away_;
      return fail(ErrorCode::Unavailable, "too much is waiting here already", "send it again later");
    }
    ticket.door_ = this;
    ticket.bytes_ = to_bytes;
    return {};
  }

  size_t inside_bytes() const { return inside_; }
  size_t most_bytes() const { return most_; }
  uint64_t turned_away() const { return turned_away_; }

 private:
  const size_t most_;
  std::atomic<size_t> inside_ = 0;
  std::atomic<uint64_t> turned_away_ = 0;
};

}  // namespace atys::fleet
