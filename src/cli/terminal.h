// SPDX-License-Identifier: Apache-2.0
// A terminal that tells keys at once. While one exists the screen is ours; afterwards it is as before, also when we are
// stopped by an error.
#pragma once

#include <termios.h>

#include <string_view>

#include "base/result.h"
#include "cli/keys.h"

namespace atys::cli {

class Terminal {
 public:
  static Result<Terminal> take_over();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&&) = delete;
  ~Terminal();

  size_t rows() const;
  size_t columns() const;
  // The next key that was pressed, without waiting (but for what an escape may be the beginning of).
  Key take_key();
  // Until a key is pressed, or for so long.
  void wait(int timeout_ms) const;
  // Draws `text` from the top, each line cut to the width; the line `marked` is shown as chosen.
  void draw(std::string_view text, size_t marked) const;
  // Gives the screen back and stops, until the shell brings us to the front again.
  void suspend();

 private:
  Terminal() = default;
  Result<> enter();
  void leave();
  bool read_more(int timeout_ms);

  termios before_{};
  KeyReader keys_;
  bool is_ours_ = false;
  bool has_hung_up_ = false;
};

}  // namespace atys::cli
