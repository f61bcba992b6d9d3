// SPDX-License-Identifier: Apache-2.0
#include "cli/keys.h"

#include <algorithm>

namespace atys::cli {

namespace {

constexpr char kEscape = '\033';
constexpr size_t kLongestSequence = 16;  // of what is a sequence at all

Key key_of(char c) {
  switch (c) {
    case 'k': return Key::Up;
    case 'j': return Key::Down;
    case 'g': return Key::First;
    case 'G': return Key::Last;
    case '\r':
    case '\n':
    case 'l': return Key::Enter;
    case '\177':
    case '\b':
    case 'h': return Key::Back;
    case 'q':
    case '\003':
    case '\004': return Key::Quit;
    case 'p':
    case ' ': return Key::Pause;
    case 's': return Key::Sort;
    case '?': return Key::Help;
    case '\032': return Key::Suspend;
    default: return Key::Other;
  }
}

// "ESC [ 5 ~", "ESC O A": what is between the bracket and the last byte, and that.
Key key_of_sequence(std::string_view parameters, char last) {
  switch (last) {
    case 'A': return Key::Up;
    case 'B': return Key::Down;
    case 'C': return Key::Enter;
    case 'D': return Key::Back;
    case 'H': return Key::First;
    case 'F': return Key::Last;
    case '~': break;
    default: return Key::Other;
  }
  if (parameters == "5") return Key::PageUp;
  if (parameters == "6") return Key::PageDown;
  if (parameters == "1" || parameters == "7") return Key::First;
  return parameters == "4" || parameters == "8" ? Key::Last : Key::Other;
}

bool ends_sequence(char c) { return c >= 0x40 && c <= 0x7e; }

// How many bytes the sequence at the beginning has; 0: it is not complete.
size_t sequence_length(std::string_view bytes) {
  if (bytes.size() < 3) return 0;
  if (bytes[1] == 'O') return 3;
  for (size_t i = 2; i < std::min(bytes.size(), kLongestSequence); ++i)
    if (ends_sequence(bytes[i])) return i + 1;
  return bytes.size() < kLongestSequence ? 0 : kLongestSequence;
}

bool begins_sequence(std::string_view bytes) { return bytes.size() > 1 && (bytes[1] == '[' || bytes[1] == 'O'); }

}  // namespace

bool KeyReader::is_unfinished() const {
  if (bytes_.empty() || bytes_[0] != kEscape) return false;
  return bytes_.size() == 1 || (begins_sequence(bytes_) && sequence_length(bytes_) == 0);
}

Key KeyReader::take() {
  if (bytes_.empty() || is_unfinished()) return Key::None;
  if (bytes_[0] == kEscape && begins_sequence(bytes_)) {
    const size_t length = sequence_length(bytes_);
    const std::string sequence = bytes_.substr(0, length);
    bytes_.erase(0, length);
    return key_of_sequence(std::string_view(sequence).substr(2, length - 3), sequence.back());
  }
  const char first = bytes_[0];
  bytes_.erase(0, 1);
  return first == kEscape ? Key::Back : key_of(first);
}

Key KeyReader::take_unfinished() {
  if (!is_unfinished()) return take();
  bytes_.erase(0, 1);  // what is behind an escape that went no further are keys of their own
  return Key::Back;
}

}  // namespace atys::cli
