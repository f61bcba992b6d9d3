// SPDX-License-Identifier: Apache-2.0
// Lines from a descriptor, of bounded length: a longer one is skipped to its end and told.
#pragma once

#include <optional>
#include <string>

namespace atys::present::mcp {

class LineReader {
 public:
  LineReader(int fd, size_t most) : fd_(fd), most_(most) {}

  struct Line {
    std::string text;
    bool is_too_long = false;  // and then without text
  };
  // Waits. Nothing: the end. A last line without an end counts.
  std::optional<Line> next();

 private:
  int fd_;
  size_t most_;
  std::string buffer_;
  size_t searched_ = 0;  // no line ends before that
  bool is_skipping_ = false;
  bool is_at_end_ = false;
};

}  // namespace atys::present::mcp
