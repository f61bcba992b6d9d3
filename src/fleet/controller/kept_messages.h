// SPDX-License-Identifier: Apache-2.0
// The last message of each series that senders compress their next one against (fleet/wire/window_packer.h). Bounded; the
// one that was not used for the longest time goes first, and its sender then sends whole. Any thread.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/guarded.h"

namespace atys::fleet {

class KeptMessages {
 public:
  explicit KeptMessages(size_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<std::string> find(std::string_view hash);
  // `replaces`: the hash of the message that it follows on, which nobody will refer to again; empty: none.
  void put(std::string_view message, std::string_view replaces);

  struct State {
    size_t bytes = 0, messages = 0;
    uint64_t missed = 0;  // asked for and not there
  };
  State state() const { return books_.lock()->state; }

 private:
  struct Kept {
    std::string hash;
    std::string packed;
    size_t bytes() const { return packed.capacity() + hash.capacity() + 4 * sizeof(Kept); }
  };
  struct Books {
    std::list<Kept> messages;  // the one used last is first
    std::unordered_map<std::string, std::list<Kept>::iterator> by_hash;
    State state;
  };
  static void remove(Books& books, const std::string& hash);

  const size_t most_bytes_;
  mutable Guarded<Books> books_;
};

}  // namespace atys::fleet
