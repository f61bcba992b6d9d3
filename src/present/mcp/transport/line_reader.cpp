// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/transport/line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace atys::present::mcp {

std::optional<LineReader::Line> LineReader::next() {
  for (;;) {
    const size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      Line line{buffer_.substr(0, end), std::exchange(is_skipping_, false)};
      buffer_.erase(0, end + 1);
      searched_ = 0;
      if (line.is_too_long) line.text.clear();
      return line;
    }
    searched_ = buffer_.size();
    if (buffer_.size() > most_) is_skipping_ = true;
    if (is_skipping_) {
      buffer_.clear();
      searched_ = 0;
    }
    if (is_at_end_) {
      if (is_skipping_) return Line{{}, std::exchange(is_skipping_, false)};
      if (buffer_.empty()) return std::nullopt;
      searched_ = 0;
      return Line{std::exchange(buffer_, {}), false};
    }
    char bytes[65536];
    const ssize_t got = ::read(fd_, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      is_at_end_ = true;
    else
      buffer_.append(bytes, static_cast<size_t>(got));
  }
}

}  // namespace atys::present::mcp
