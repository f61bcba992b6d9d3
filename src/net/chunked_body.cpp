// SPDX-License-Identifier: Apache-2.0
#include "net/chunked_body.h"

#include <algorithm>
#include <charconv>

namespace atys::net {

namespace {

constexpr size_t kLongestLine = 256;
constexpr size_t kMostTrailerBytes = 4096;
constexpr uint64_t kLargestChunk = uint64_t{1} << 40;

}  // namespace

bool ChunkedBody::take_line(std::string_view& bytes) {
  const size_t end = bytes.find('\n');
  const std::string_view part = bytes.substr(0, end == std::string_view::npos ? end : end + 1);
  if (line_.size() + part.size() > kLongestLine) {
    is_bad_ = true;
    return false;
  }
  line_ += part;
  bytes.remove_prefix(part.size());
  if (end == std::string_view::npos) return false;
  if (!line_.ends_with("\r\n")) {
    is_bad_ = true;
    return false;
  }
  line_.resize(line_.size() - 2);
  return true;
}

// "1a3" or "1a3;what=ever".
bool ChunkedBody::begin_chunk() {
  const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), left_, 16);
  const bool is_number = error == std::errc{} && (end == line_.data() + line_.size() || *end == ';' || *end == ' ');
  line_.clear();
  if (!is_number || left_ > kLargestChunk) return false;
  part_ = left_ == 0 ? Part::Trailers : Part::Data;
  return true;
}

ChunkedBody::State ChunkedBody::feed(std::string_view& bytes, const std::function<bool(std::string_view)>& on_data) {
  while (!bytes.empty() && !is_bad_) {
    if (part_ == Part::Data) {
      const std::string_view piece = bytes.substr(0, std::min<uint64_t>(left_, bytes.size()));
      bytes.remove_prefix(piece.size());
      left_ -= piece.size();
      if (left_ == 0) part_ = Part::EndOfData;
      if (!on_data(piece)) return State::More;
      continue;
    }
    if (!take_line(bytes)) break;
    if (part_ == Part::Size) {
      is_bad_ = !begin_chunk();
    } else if (part_ == Part::EndOfData) {
      is_bad_ = !line_.empty();
      part_ = Part::Size;
    } else {
      if (line_.empty()) return State::Whole;
      trailer_bytes_ += line_.size();
      is_bad_ = trailer_bytes_ > kMostTrailerBytes;
      line_.clear();
    }
  }
  return is_bad_ ? State::Bad : State::More;
}

}  // namespace atys::net
