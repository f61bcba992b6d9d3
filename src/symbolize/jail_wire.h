// SPDX-License-Identifier: Apache-2.0
// Messages between who wants to know something of a file and the worker that reads it: bytes, and at most one descriptor,
// over a socket pair. Neither side believes the other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "symbolize/cursor.h"

namespace atys::symbolize {

enum class JailMessage : uint8_t {
  Hello,          // from the worker, once: which walls stand
  Open,           // a file, by number; no answer
  Close,          // a file is of no interest any more; no answer
  Ask,            // a question about a file
  Answer,         // to it
  Failed,         // to it: why there is none
  NeedDebugFile,  // from the worker, while it answers
  NeedAlternate,  // the same
  Load,           // the same: from the cache
  Store,          // the same: into it; no answer
  Rest,           // the same: may it go on?
  Given,          // to each of these
};

struct JailLetter {
  JailMessage kind = JailMessage::Failed;
  Bytes bytes;
  UniqueFd file;
};

// Writes what Cursor reads.
class JailPacker {
 public:
  template <typename Number>
  JailPacker& number(Number value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  JailPacker& block(std::span<const std::byte> bytes) {
    number(static_cast<uint64_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  JailPacker& text(std::string_view text) { return block(std::as_bytes(std::span(text))); }
  Bytes take() { return std::move(bytes_); }
  size_t size() const { return bytes_.size(); }

 private:
  Bytes bytes_;
};

inline std::span<const std::byte> take_block(Cursor& cursor) { return cursor.block(cursor.fixed<uint64_t>()); }
inline std::string take_text(Cursor& cursor) {
  const auto bytes = take_block(cursor);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class JailSocket {
 public:
  // `may_wait` is asked now and then while nothing comes; false: no longer. None: for ever.
  explicit JailSocket(UniqueFd fd, std::function<bool()> may_wait = {})
      : fd_(std::move(fd)), may_wait_(std::move(may_wait)) {}

  Result<> send(JailMessage kind, std::span<const std::byte> bytes, int file = -1);
  Result<JailLetter> receive();

 private:
  Result<> wait_for(short events);

  UniqueFd fd_;
  std::function<bool()> may_wait_;
};

}  // namespace atys::symbolize
