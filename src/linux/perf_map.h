// SPDX-License-Identifier: Apache-2.0
// The list that a runtime writes of the functions it compiled: /tmp/perf-PID.map, where its process sees /tmp and with the
// number that it has there. The file is the target's, so nothing about it is believed: good is one that is a regular file
// with one name, of the user that the process runs as or of root, reached without a symbolic link, not larger than we read,
// and not older than the process: pids come round, and maps stay.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::linux {

inline constexpr size_t kLargestPerfMap = size_t{256} << 20;

// Where a process's map is or will be, found while the process is there; can be looked at when it has ended.
class PerfMapPlace {
 public:
  static Result<PerfMapPlace> find(pid_t pid);

  std::string path() const { return "/tmp/" + file_; }  // as the process sees it

  struct Found {
    UniqueFd handle;  // O_PATH: says which file it is, cannot be read
    uint64_t bytes = 0;
  };
  // Nothing: there is none. An error says why the one that is there is not good.
  Result<std::optional<Found>> look() const;

 private:
  struct Owner {
    uid_t user = 0;    // effective
    time_t began = 0;  // no file of its own is older
  };
  PerfMapPlace(UniqueFd folder, std::string file, Owner owner)
      : folder_(std::move(folder)), file_(std::move(file)), owner_(owner) {}
  Result<> check(const struct ::stat& status) const;

  UniqueFd folder_;
  std::string file_;
  Owner owner_;
};

// Whether there is one that is good, and something is in it.
bool has_perf_map(pid_t pid);

}  // namespace atys::linux
