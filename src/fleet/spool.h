// SPDX-License-Identifier: Apache-2.0
// Windows on their way to a controller, on disk: what is in here survives a controller that is away and an end of the agent.
// A file each, named by when it came; bounded, and where there is no room the oldest goes, which is counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace atys::fleet {

class Spool {
 public:
  // Makes the folder, and takes up what an earlier agent left there.
  static Result<Spool> open(std::string folder, uint64_t most_bytes);
  Spool(Spool&&) noexcept;

  // Compressed. What does not fit at all, or cannot be written, is counted as dropped.
  void put(const std::string& window);
  // A window that could not even be made into bytes.
  void count_dropped();

  struct Entry {
    std::string name;
    std::string window;
  };
  // The oldest; nothing: it is empty. A file that cannot be read, or is not whole, is set aside and counted.
  std::optional<Entry> oldest();
  // It has arrived, or never will.
  void remove(const std::string& name, bool has_arrived);

  struct State {
    uint64_t bytes = 0;
    uint64_t windows = 0;
    uint64_t dropped = 0;  // since the agent started
    uint64_t sent = 0;
  };
  State state() const;

 private:
  struct Books;
  Spool(std::string folder, uint64_t most_bytes);
  void make_room(Books& books, uint64_t bytes);

  std::string folder_;
  uint64_t most_bytes_ = 0;
  std::shared_ptr<Guarded<Books>> books_;
};

}  // namespace atys::fleet
