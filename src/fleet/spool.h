// SPDX-License-Identifier: Apache-2.0
// Windows on their way to a controller, on disk: what is in here survives a controller that is away, an end of the agent and
// a power cut. A file each, named by when it came; bounded, and where there is no room the oldest goes. What is lost is
// counted by why.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/durable_file.h"
#include "base/guarded.h"
#include "base/result.h"
#include "fleet/clock_stamp.h"

namespace atys::fleet {

// Why a window will never be seen by a controller.
enum class DropReason : uint8_t {
  NoRoom,      // the spool was full, and it was the oldest
  Refused,     // the controller says that it is no window
  TooLarge,    // for the controller
  TooOld,      // past the controller's retention
  Unreadable,  // its file in the spool is damaged
  Unwritable,  // the disk of this machine would not take it
};
inline constexpr size_t kDropReasons = 6;
const char* to_string(DropReason reason);  // "no_room" …

class Spool {
 public:
  // Makes the folder, of this user alone, and takes up what an earlier agent left there.
  static Result<Spool> open(std::string folder, uint64_t most_bytes, FileCalls& calls = FileCalls::of_kernel());
  Spool(Spool&&) noexcept;
  ~Spool();

  // A window that is on disk and not yet in the spool: it goes with this object unless it is committed.
  class Pending {
   public:
    Pending(Pending&&) noexcept;
    ~Pending();

   private:
    friend class Spool;
    Pending() = default;
    Spool* spool_ = nullptr;
    uint64_t number_ = 0, bytes_ = 0;
    std::optional<ClockStamp> stamp_;
  };
  // Compressed. Room is made for it; an error where the disk does not take it.
  Result<Pending> prepare(const std::string& window, const std::optional<ClockStamp>& stamp = std::nullopt);
  // Spooled for good when it returns.
  Result<> commit(Pending pending);
  // Both; what fails is counted as dropped.
  Result<> put(const std::string& window, const std::optional<ClockStamp>& stamp = std::nullopt);
  void count_dropped(DropReason why);

  struct Entry {
    uint64_t number = 0;
    std::string window;
    std::optional<ClockStamp> stamp;  // its times are still as this machine's clock had them
  };
  // The oldest whose number is above this one; nothing: there is none. A file that is not whole is let go and counted; an
  // error: this machine cannot read it now.
  Result<std::optional<Entry>> after(uint64_t number);
  Result<std::optional<Entry>> oldest() { return after(0); }
  Result<std::optional<Entry>> newest();
  // Its times will not change any more; `window`: it is this one from now on.
  Result<> settle(uint64_t number, const std::string* window);
  // Nothing: it has arrived.
  void remove(uint64_t number, std::optional<DropReason> why = std::nullopt);

  struct State {
    uint64_t bytes = 0;
    uint64_t windows = 0;
    uint64_t dropped = 0;  // since the agent started
    std::array<uint64_t, kDropReasons> dropped_by{};
    uint64_t sent = 0;
  };
  State state() const;

 private:
  struct Books;
  Spool(std::string folder, uint64_t most_bytes, FileCalls& calls);
  void load(Books& books);
  void make_room(Books& books, uint64_t bytes);
  std::string path_of(uint64_t number, const std::optional<ClockStamp>& stamp) const;
  Result<std::optional<Entry>> read(uint64_t number, const std::optional<ClockStamp>& stamp);

  std::string folder_;
  uint64_t most_bytes_ = 0;
  FileCalls* calls_;
  std::unique_ptr<Guarded<Books>> books_;
};

}  // namespace atys::fleet
