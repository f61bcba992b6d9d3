// SPDX-License-Identifier: Apache-2.0
// One day of the store: a connection to its file, and the dictionaries that have been read from it. Used by one thread at a
// time. `day_append.h`, `day_compact.h`, `day_read.h` and `day_retain.h` are what can be done with it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/embedded/block.h"
#include "store/embedded/database.h"
#include "store/embedded/dictionary.h"
#include "store/embedded/pack.h"

namespace atys::store {

// What a row of the table `block` is. The numbers are in files.
enum class Stage : int64_t {
  Raw = 0,      // one window
  Segment = 1,  // windows of one minute
  Minute = 2,   // their sum; `folded` once it is part of an hour
  Hour = 3,
  Damaged = 4,  // could not be read when it was to be summed up
};

// What stands in the table `seen` for the minute of a window that has no time of its own.
inline constexpr int64_t kUndatedMinute = 0;

struct StoredBlock {
  Stage stage = Stage::Raw;
  int64_t group = 0;
  int64_t start_ns = 0;  // of the window, minute or hour
  int64_t dictionary = 0;
  int64_t series = 0;  // of a raw window
  size_t windows = 1;
};

class DayFile {
 public:
  static constexpr size_t kFullDictionary = size_t{24} << 20;

  static Result<std::unique_ptr<DayFile>> open_to_read(const std::string& path, int64_t day_ns);
  // A dictionary that has become larger than `full_dictionary` bytes is not added to any more.
  static Result<std::unique_ptr<DayFile>> open_to_write(const std::string& path, int64_t day_ns, size_t full_dictionary);

  Database& database() { return *database_; }
  int64_t day_ns() const { return day_ns_; }
  // Files of an earlier version are not.
  bool is_checked() const { return is_checked_; }
  // Whether the file at the path is still the one that is open.
  bool is_current() const;

  // Up to what the current transaction sees. The pointer is good until `trim` or `forget`.
  Result<Dictionary*> dictionary(int64_t id);
  // The one that blocks of this service are to be added with; a new one where the last is full or cannot be read.
  Result<int64_t> dictionary_to_add_to(std::string_view service);
  // Stores what has been added to dictionaries in memory: part of every transaction that writes blocks.
  Result<> save_dictionaries();
  // Puts small chunks of a dictionary together, so that there are few to read.
  Result<> join_chunks(int64_t id);
  // Forgets what has not been used for longest, until the rest takes no more than this.
  void trim(size_t bytes);
  // Everything: after a transaction that failed, what is in memory is not what is on disk.
  void forget();
  size_t memory_bytes() const;

  Result<> insert(const StoredBlock& place, const Block& block);

  // From when on each level is kept in this file; whole hours.
  Result<std::array<int64_t, kLevels>> kept_from();

 private:
  struct Known {
    Dictionary dictionary;
    Dictionary::Sizes saved{};
    uint64_t used = 0;  // when, in calls
  };

  DayFile(std::unique_ptr<Database> database, std::string path, int64_t day_ns)
      : database_(std::move(database)), path_(std::move(path)), day_ns_(day_ns) {}
  static Result<std::unique_ptr<DayFile>> open(const std::string& path, int64_t day_ns, Database::Mode mode);
  static Result<> make(const std::string& path);
  Result<> check_schema();

  std::unique_ptr<Database> database_;
  std::string path_;
  int64_t day_ns_;
  uint64_t device_ = 0, inode_ = 0;
  std::map<int64_t, Known> dictionaries_;
  std::map<std::string, int64_t, std::less<>> latest_;  // by service
  uint64_t calls_ = 0;
  size_t full_dictionary_ = kFullDictionary;
  bool is_checked_ = true;
};

}  // namespace atys::store
