// SPDX-License-Identifier: Apache-2.0
// Names of code that was made at run time, from the list that its runtime writes: /tmp/perf-PID.map, a line
// "START SIZE NAME" for each function, in hexadecimal. The file is the target's, so nothing about it is believed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "linux/perf_map.h"

namespace atys::symbolize {

// `name` lives as long as the map that it is from.
struct JitSymbol {
  std::string_view name;
  uint64_t address = 0;
  uint64_t size = 0;
};

class JitMap {
 public:
  // Lines that make no sense are left out. Where lines overlap the later one wins: memory is used again.
  static JitMap parse(std::string_view text);

  std::optional<JitSymbol> resolve(uint64_t address) const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t name = 0;  // offset of a name that ends with a zero byte
  };
  struct Segment {
    uint64_t start = 0;
    uint32_t entry = 0;  // entries_.size(): a gap
  };
  void add_line(std::string_view line);
  void flatten();

  std::vector<Entry> entries_;  // as they came
  std::vector<Segment> segments_;
  std::string names_;
};

// Where a process's map is or will be, found while the process is there; can be read when it has ended.
class JitMapFile {
 public:
  static Result<JitMapFile> find(pid_t pid);
  // Refused unless it is good, as linux/perf_map.h says.
  Result<JitMap> read() const;

 private:
  explicit JitMapFile(linux::PerfMapPlace place) : place_(std::move(place)) {}
  linux::PerfMapPlace place_;
};

// The map of a process, looked for where that process sees /tmp.
Result<JitMap> open_jit_map(pid_t pid);

}  // namespace atys::symbolize
