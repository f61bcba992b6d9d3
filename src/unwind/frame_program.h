// SPDX-License-Identifier: Apache-2.0
// Runs the programs of call frame information: which rule holds from which address on. Follows the CFA, the frame pointer
// and the return address; other registers are read over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "symbolize/frame_section.h"
#include "unwind/rule.h"

namespace atys::unwind {

using symbolize::FrameEntry;
using symbolize::FrameSection;

struct Row {
  uint64_t address = 0;  // the rule holds from here to the next row
  Rule rule;
};

class FramePrograms {
 public:
  FramePrograms(Machine machine, const FrameSection& section);
  ~FramePrograms();

  // Appends the rows of an entry in order of address, all within [entry.begin, entry.end). A program that makes no sense
  // gives one unsupported row.
  void run(const FrameEntry& entry, std::vector<Row>& rows);

 private:
  struct State;
  class Run;
  struct Started;

  const Started& started(uint32_t common);

  Machine machine_;
  const FrameSection& section_;
  std::vector<std::unique_ptr<Started>> started_;  // by common
  uint64_t common_bytes_left_;
};

}  // namespace atys::unwind
