// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/sample_pieces.h"

#include <algorithm>
#include <cstring>

#include "format/perf_script/sample_line.h"
#include "format/perf_script/text_layout.h"

namespace atys::format::perf_script {

namespace {

// Longer than any real sample, which has at most some thousand frames; bounds the memory that a file without line ends
// takes.
constexpr size_t kMaxSampleBytes = size_t{256} << 20;

constexpr size_t kFirstRead = size_t{64} << 10;

// Calls `accepts(line, begin, end)` for the whole lines of `text` from the last to the first until it gives a position but
// 0.
template <typename Accepts>
size_t find_from_end(std::string_view text, const Accepts& accepts) {
  for (size_t end = text.rfind('\n') + 1; end > 0;) {
    const size_t begin = end < 2 ? 0 : text.rfind('\n', end - 2) + 1;
    if (const size_t found = accepts(trim(text.substr(begin, end - 1 - begin)), begin, end); found != 0) return found;
    end = begin;
  }
  return 0;
}

// Where a sample begins that is not at the beginning; the last such place, or 0. An empty line ends a sample, but there is
// none in output without call chains.
size_t last_boundary(std::string_view text) {
  const size_t after_blank =
      find_from_end(text, [](std::string_view line, size_t, size_t end) { return line.empty() ? end : 0; });
  if (after_blank != 0) return after_blank;
  const auto begin_of = [&](const auto& is_header) {
    return find_from_end(text, [&](std::string_view line, size_t begin, size_t) { return is_header(line) ? begin : 0; });
  };
  // A frame may look like a header that has ids alone.
  const size_t certain = begin_of(is_certain_header);
  return certain != 0 ? certain : begin_of([](std::string_view line) { return parse_header(line).has_value(); });
}

}  // namespace

void Piece::reserve(size_t capacity) {
  if (capacity <= capacity_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

// Reads until the piece is `target` long or the source ends.
Result<> SamplePieces::fill(Piece& piece, size_t target) {
  while (piece.size_ < target && !at_end_) {
    // By steps: most inputs are small.
    piece.reserve(std::min(target, std::max(kFirstRead, piece.size_ * 4)));
    const size_t room = std::min(target, piece.capacity_) - piece.size_;
    const size_t count = TRY(source_->read({reinterpret_cast<std::byte*>(piece.bytes_.get() + piece.size_), room}));
    piece.size_ += count;
    at_end_ = count == 0;
  }
  return {};
}

Result<bool> SamplePieces::next(Piece& piece) {
  const std::lock_guard lock(mutex_);
  piece.size_ = 0;
  piece.reserve(carry_.size());
  if (!carry_.empty()) std::memcpy(piece.bytes_.get(), carry_.data(), carry_.size());
  piece.size_ = carry_.size();
  piece.offset_ = offset_;
  carry_.clear();
  for (size_t target = piece.size_ + piece_bytes_;; target *= 2) {
    TRY(fill(piece, target));
    piece.is_last_ = at_end_;
    const size_t cut = at_end_ ? piece.size_ : last_boundary(piece.text());
    if (cut != 0 || at_end_) {
      carry_.assign(piece.bytes_.get() + cut, piece.size_ - cut);
      piece.size_ = cut;
      offset_ += cut;
      return cut != 0;
    }
    if (piece.size_ > kMaxSampleBytes) {
      at_end_ = true;  // for the other threads
      return fail(ErrorCode::ResourceExhausted, "bad perf script data at offset " + std::to_string(offset_) +
                                                    ": a sample of more than " + std::to_string(kMaxSampleBytes) + " bytes");
    }
  }
}

}  // namespace atys::format::perf_script
