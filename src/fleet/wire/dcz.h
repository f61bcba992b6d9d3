// SPDX-License-Identifier: Apache-2.0
// Bytes compressed against other bytes that both sides have, framed as RFC 9842 frames the content encoding `dcz`: a head
// that names the dictionary by its SHA-256, then one Zstandard frame. The head is a frame that decoders skip, so without it,
// where there is no dictionary, what is left is the content encoding `zstd`.
//
// What is read here comes from outside: the frame says how long its content is before anything is unpacked, that is bounded,
// and nothing beyond it is ever written.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::fleet {

inline constexpr size_t kHashBytes = 32;
// Of the content and of a dictionary. It also bounds how far back a frame may refer.
inline constexpr size_t kMostDczBytes = size_t{16} << 20;

std::string sha256(std::string_view bytes);

// Bytes that may be compressed against, with what names them.
struct DczDictionary {
  std::string bytes, hash;
};

enum class DczEffort { Quick = 1, Usual = 4, Thorough = 6 };  // levels of zstd
// Null: against nothing. Both at most kMostDczBytes.
std::string pack_dcz(std::string_view bytes, const DczDictionary* dictionary, DczEffort effort = DczEffort::Usual);

// What can be told before unpacking. Refers to the bytes it was read from.
struct DczHead {
  std::string_view dictionary_hash;  // empty: none is needed
  std::string_view frame;
  size_t content_bytes = 0;  // bounded
};
Result<DczHead> read_dcz_head(std::string_view packed);
// `dictionary`: the bytes whose hash the head has.
Result<std::string> unpack_dcz(const DczHead& head, std::string_view dictionary);

}  // namespace atys::fleet
