// SPDX-License-Identifier: Apache-2.0
// The folder of an embedded store: who may write, which days are there, what was dropped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::store {

class StoreFolder {
 public:
  // For a writer the folder is made, and held against other writers as long as this lives.
  static Result<StoreFolder> open(const std::string& path, bool to_write);

  const std::string& path() const { return path_; }
  std::string day_path(int64_t day_ns) const;
  Result<std::vector<int64_t>> days() const;  // oldest first
  uint64_t bytes() const;                     // of all files
  // Half of the disk, and less where a twentieth of it would not stay free. Who fills the disk with something else makes the
  // store give up its oldest, but never below a tenth of the disk. 0: nobody knows.
  uint64_t share_of_disk() const;
  // What was damaged and set aside: its name, and the day that it was of. Oldest first.
  struct SetAside {
    int64_t day_ns = 0;
    std::string name;
  };
  std::vector<SetAside> set_aside() const;

  // Everything before was dropped, days and all.
  int64_t dropped_before_ns() const;
  // With what was set aside of it.
  Result<> remove_day(int64_t day_ns) const;
  // Keeps a damaged file under another name, out of the way: answers about that day say so.
  Result<> set_aside(int64_t day_ns) const;
  // A copy of the log of a day that no writer has open, where some of what it holds is damaged. SQLite goes on with the rest
  // and says nothing.
  Result<> keep_damaged_log(int64_t day_ns) const;

 private:
  explicit StoreFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<SetAside> not_kept_;  // logs that were found damaged, and of which there was no room for a copy
  UniqueFd lock_;
};

}  // namespace atys::store
