// SPDX-License-Identifier: Apache-2.0
// Takes a body out of the chunks that it is sent in. Holds nothing of it: bytes are handed on as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace atys::net {

class ChunkedBody {
 public:
  enum class State { More, Whole, Bad };

  // Takes bytes off the front of `bytes`, as far as the body goes. `on_data` returns false: that was too much, and nothing
  // more is read (State::More).
  State feed(std::string_view& bytes, const std::function<bool(std::string_view)>& on_data);

 private:
  enum class Part { Size, Data, EndOfData, Trailers };
  bool take_line(std::string_view& bytes);  // true: `line_` is one
  bool begin_chunk();

  Part part_ = Part::Size;
  uint64_t left_ = 0;
  std::string line_;
  size_t trailer_bytes_ = 0;
  bool is_bad_ = false;
};

}  // namespace atys::net
