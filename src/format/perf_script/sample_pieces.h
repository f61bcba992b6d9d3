// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of perf script text into pieces of whole samples, for several threads that each take the next one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"

namespace atys::format::perf_script {

// A reader keeps its piece and passes it again: the memory is used anew.
class Piece {
 public:
  std::string_view text() const { return {bytes_.get(), size_}; }
  uint64_t offset() const { return offset_; }  // of the text in the source
  bool is_last() const { return is_last_; }

 private:
  friend class SamplePieces;
  void reserve(size_t capacity);

  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  size_t size_ = 0;
  uint64_t offset_ = 0;
  bool is_last_ = false;
};

class SamplePieces {
 public:
  // The source outlives this. A piece is about `piece_bytes` long, or as long as the longest sample needs.
  SamplePieces(ByteSource& source, size_t piece_bytes) : source_(&source), piece_bytes_(piece_bytes) {}

  // The next piece; false after the last. Any thread.
  Result<bool> next(Piece& piece);

 private:
  Result<> fill(Piece& piece, size_t target);

  std::mutex mutex_;
  ByteSource* source_;
  size_t piece_bytes_;
  std::string carry_;  // read already, but the beginning of the next piece
  uint64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace atys::format::perf_script
