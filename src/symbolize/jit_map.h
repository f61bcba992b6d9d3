// SPDX-License-Identifier: Apache-2.0
// Names of code that was made at run time, from the list that its runtime writes: /tmp/perf-PID.map, a line
// "START SIZE NAME" for each function, in hexadecimal. The file is the target's, so nothing about it is believed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

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
  struct Owner {
    pid_t own_pid = 0;  // as the process itself sees it
    uid_t user = 0;     // effective
    time_t began = 0;   // no file of its own is older
  };
  static Result<JitMapFile> find(pid_t pid);
  // As open_jit_map below.
  Result<JitMap> read() const;

 private:
  JitMapFile(UniqueFd folder, std::string file, Owner owner)
      : folder_(std::move(folder)), file_(std::move(file)), owner_(owner) {}
  UniqueFd folder_;
  std::string file_;
  Owner owner_;
};

// The map of a process, looked for where that process sees /tmp. Refused unless it is a regular file, of the user that the
// process runs as or of root, reached without a symbolic link, and not older than the process: pids come round, and maps
// stay.
Result<JitMap> open_jit_map(pid_t pid);

}  // namespace atys::symbolize
