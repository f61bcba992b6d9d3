// SPDX-License-Identifier: Apache-2.0
// Keys out of the bytes that a terminal sends. Several keys may come at once, and one key in several pieces: none is lost.
#pragma once

#include <string>
#include <string_view>

namespace atys::cli {

enum class Key { None, Quit, Pause, Sort, Up, Down, PageUp, PageDown, First, Last, Enter, Back, Help, Suspend, Other };

class KeyReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next key; None: there is none, or the beginning of one that may go on (`is_unfinished`).
  Key take();
  bool is_unfinished() const;
  // As take(), where nothing more will come: an escape alone is a key as well.
  Key take_unfinished();

 private:
  std::string bytes_;
};

}  // namespace atys::cli
