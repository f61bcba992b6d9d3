// SPDX-License-Identifier: Apache-2.0
// Open files of days. Readers come from a pool, each used by one thread at a time; the writer has its own.
#pragma once

#include <list>
#include <map>
#include <memory>

#include "base/guarded.h"
#include "store/embedded/day_file.h"
#include "store/embedded/store_folder.h"

namespace atys::store {

class ReaderPool {
 public:
  explicit ReaderPool(size_t cache_bytes) : cache_bytes_(cache_bytes) {}

  // Nothing where there is no such day.
  Result<std::unique_ptr<DayFile>> take(const StoreFolder& folder, int64_t day_ns);
  // For the next one who needs the day. What is not given back is closed.
  void give_back(std::unique_ptr<DayFile> file);

 private:
  static constexpr size_t kMaxFiles = 8;

  size_t cache_bytes_;
  Guarded<std::list<std::unique_ptr<DayFile>>> idle_;  // the last used first
};

class WriterFiles {
 public:
  WriterFiles(size_t cache_bytes, size_t full_dictionary) : cache_bytes_(cache_bytes), full_dictionary_(full_dictionary) {}

  Result<DayFile*> open(const StoreFolder& folder, int64_t day_ns);
  void close(int64_t day_ns) { files_.erase(day_ns); }
  // Keeps memory and the number of open files within bounds; `recent_ns` is the day that is used most.
  void trim(int64_t recent_ns);

 private:
  static constexpr size_t kMaxFiles = 3;

  size_t cache_bytes_;
  size_t full_dictionary_;
  std::map<int64_t, std::unique_ptr<DayFile>> files_;
};

}  // namespace atys::store
