// SPDX-License-Identifier: Apache-2.0
// Where functions begin and end in a binary that has no names for them: call frame information stays when symbols are
// stripped, for exceptions need it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "symbolize/elf_file.h"

namespace atys::symbolize {

struct FunctionRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class FunctionRanges {
 public:
  // From .eh_frame; what lies outside of code is left out. Empty where there is none.
  static FunctionRanges read(const ElfFile& file);

  std::optional<FunctionRange> find(uint64_t address) const;
  // find() says the same of every address from this one up to the one returned.
  uint64_t same_until(uint64_t address) const;
  size_t size() const { return ranges_.size(); }

 private:
  std::vector<FunctionRange>::const_iterator after(uint64_t address) const;
  std::vector<FunctionRange> ranges_;  // by begin, none within another
};

}  // namespace atys::symbolize
