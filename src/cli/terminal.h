// SPDX-License-Identifier: Apache-2.0
// A terminal that tells keys at once. While one exists the screen is ours; afterwards it is as before, also when we are
// stopped by an error.
#pragma once

#include <termios.h>

#include <string_view>

#include "base/result.h"

namespace atys::cli {

enum class Key { None, Quit, Pause, Sort, Up, Down, Enter, Back, Help };

class Terminal {
 public:
  static Result<Terminal> take_over();
  Terminal(Terminal&& other) noexcept;
  Terminal& operator=(Terminal&&) = delete;
  ~Terminal();

  size_t rows() const;
  size_t columns() const;
  // The next key that was pressed, without waiting.
  Key take_key() const;
  // Draws `text` from the top, each line cut to the width; the line `marked` is shown as chosen.
  void draw(std::string_view text, size_t marked) const;

 private:
  Terminal() = default;
  termios before_{};
  bool is_ours_ = false;
};

}  // namespace atys::cli
