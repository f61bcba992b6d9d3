// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_pool.h"

#include <unistd.h>

#include <algorithm>

#include "store/embedded/calendar.h"

namespace atys::store {

Result<std::unique_ptr<DayFile>> ReaderPool::take(const StoreFolder& folder, int64_t day_ns) {
  {
    const auto idle = idle_.lock();
    const auto found =
        std::ranges::find_if(*idle, [&](const std::unique_ptr<DayFile>& file) { return file->day_ns() == day_ns; });
    if (found != idle->end()) {
      std::unique_ptr<DayFile> file = std::move(*found);
      idle->erase(found);
      if (file->is_current()) return file;
    }
  }
  const std::string path = folder.day_path(day_ns);
  auto opened = DayFile::open_to_read(path, day_ns);
  // SQLite says the same of a file that is not there and of one that it may not open.
  const bool is_gone = !opened.ok() && opened.error().code == ErrorCode::NotFound && ::access(path.c_str(), F_OK) != 0;
  if (is_gone) return std::unique_ptr<DayFile>();
  return opened;
}

void ReaderPool::give_back(std::unique_ptr<DayFile> file) {
  const auto idle = idle_.lock();
  idle->push_front(std::move(file));
  size_t held = 0;
  for (auto& kept : *idle) {
    kept->trim(cache_bytes_ - std::min(held, cache_bytes_));
    held += kept->memory_bytes();
  }
  while (idle->size() > kMaxFiles) idle->pop_back();
}

Result<DayFile*> WriterFiles::open(const StoreFolder& folder, int64_t day_ns) {
  auto& file = files_[day_ns];
  if (file == nullptr) {
    auto opened = DayFile::open_to_write(folder.day_path(day_ns), day_ns, full_dictionary_);
    if (!opened.ok()) {
      files_.erase(day_ns);
      return opened.error();
    }
    file = opened.take();
  }
  return file.get();
}

void WriterFiles::trim(int64_t recent_ns) {
  size_t held = 0;
  const auto trim_one = [&](DayFile& file) {
    file.trim(cache_bytes_ - std::min(held, cache_bytes_));
    held += file.memory_bytes();
  };
  if (const auto recent = files_.find(recent_ns); recent != files_.end()) trim_one(*recent->second);
  for (const auto& [day, file] : files_) {
    if (day != recent_ns) trim_one(*file);
  }
  while (files_.size() > kMaxFiles)
    files_.erase(files_.begin()->first == recent_ns ? std::prev(files_.end()) : files_.begin());
}

}  // namespace atys::store
