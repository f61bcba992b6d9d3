// SPDX-License-Identifier: Apache-2.0
// The flat form of a LineCache: a header, ranges by their starts, the frames' numbers range by range, frames, and texts that
// end with a zero byte each.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "symbolize/module.h"

namespace atys::symbolize {

struct LineTableHeader {
  uint32_t ranges = 0;
  uint32_t numbers = 0;
  uint32_t frames = 0;
  uint32_t text_bytes = 0;
};

struct LineTableRange {
  uint64_t start = 0;
  uint32_t length = 0;
  uint32_t first_number = 0;  // place in the list of frame numbers
  uint32_t frames = 0;
  uint32_t unused = 0;
};

struct LineTableFrame {
  uint32_t function = 0;  // offsets of texts
  uint32_t system_name = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t start_line = 0;
  bool operator<(const LineTableFrame& other) const { return order() < other.order(); }
  std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t> order() const {
    return {function, system_name, file, line, start_line};
  }
};

// Whether the form has room for it.
bool can_be_kept(const SourceFrame& frame);

class LineTableWriter {
 public:
  // The parts of a table that is to be continued; numbers and offsets stay as they are.
  void begin_with(std::span<const std::byte> ranges, std::span<const std::byte> numbers, std::span<const std::byte> frames,
                  std::span<const std::byte> texts);
  void add(const ResolvedRange& range);  // of frames that can be kept
  Bytes finish();

 private:
  uint32_t text(const std::string& text);
  uint32_t frame(const SourceFrame& frame);

  std::vector<LineTableRange> ranges_;
  std::vector<uint32_t> numbers_;
  std::vector<LineTableFrame> frames_;
  std::string texts_;
  // Of what was added: what a table began with may be there twice.
  std::unordered_map<std::string, uint32_t> text_offsets_;
  std::map<LineTableFrame, uint32_t> frame_numbers_;
};

}  // namespace atys::symbolize
