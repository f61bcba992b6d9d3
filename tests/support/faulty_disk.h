// SPDX-License-Identifier: Apache-2.0
// A disk that fails, for whatever SQLite does: the n-th operation is refused, or the machine dies there and what was not
// synced by then is lost, kept or torn. It is the default VFS of the process as long as it lives. Of one thread.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/result.h"

namespace atys::test {

enum class Fault {
  None,
  Once,      // this one operation: a bad sector, a signal, too many open files
  FromNow,   // this and all that change something: a full disk, a file system that turned read-only
  PowerCut,  // this and everything after; `lose_unsynced` then
};

class FaultyDisk {
 public:
  FaultyDisk() : base_(sqlite3_vfs_find(nullptr)) {
    CHECK(the() == nullptr);
    the() = this;
    vfs_ = *base_;
    vfs_.pNext = nullptr;
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + base_->szOsFile;
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
    CHECK(sqlite3_vfs_register(&vfs_, /*makeDflt=*/1) == SQLITE_OK);
  }
  ~FaultyDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(base_, /*makeDflt=*/1);
    the() = nullptr;
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // Counts from 1, beginning now.
  void arm(uint64_t nth, Fault fault, int error) {
    count_ = 0;
    nth_ = nth;
    fault_ = fault;
    error_ = error;
    was_hit_ = false;
  }
  void heal() { arm(0, Fault::None, SQLITE_OK); }
  bool was_hit() const { return was_hit_; }

  // After a power cut, when everything is closed.
  void lose_unsynced(std::mt19937_64& random) {
    for (auto& [path, changes] : unsynced_) {
      std::string bytes = read(path);
      for (auto change = changes.rbegin(); change != changes.rend(); ++change) change->undo(bytes);
      for (const Change& change : changes) change.redo(bytes, random);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    }
    unsynced_.clear();
  }
  void forget() { unsynced_.clear(); }

 private:
  static constexpr size_t kSector = 512;

  struct Change {
    bool is_truncation = false;
    size_t at = 0, size_before = 0;
    std::string before, after;

    void undo(std::string& bytes) const {
      bytes.resize(std::max(bytes.size(), at + before.size()));
      bytes.replace(at, before.size(), before);
      bytes.resize(size_before);
    }
    void redo(std::string& bytes, std::mt19937_64& random) const {
      const uint64_t fate = random() % 3;
      if (fate == 0) return;
      if (is_truncation) return bytes.resize(std::min(at, bytes.size()));
      // Torn: sectors of it, whichever.
      for (size_t from = 0; from < after.size(); from += kSector) {
        if (fate == 2 && random() % 2 == 0) continue;
        const std::string sector = after.substr(from, kSector);
        if (bytes.size() < at + from + sector.size()) bytes.resize(at + from + sector.size());
        bytes.replace(at + from, sector.size(), sector);
      }
    }
  };

  struct File {
    sqlite3_file file;
    sqlite3_file* real;
    const char* path;
  };

  static FaultyDisk*& the() {
    static FaultyDisk* disk = nullptr;
    return disk;
  }
  static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
  static sqlite3_file* real(sqlite3_file* file) { return of(file).real; }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // What the operation ends with instead; SQLITE_OK: it takes place.
  int verdict(bool changes_something, int otherwise) {
    ++count_;
    if (fault_ == Fault::None || count_ < nth_) return SQLITE_OK;
    if (count_ == nth_) was_hit_ = true;
    const int error = error_ == SQLITE_OK ? otherwise : error_;
    switch (fault_) {
      case Fault::Once: return count_ == nth_ ? error : SQLITE_OK;
      case Fault::FromNow: return count_ == nth_ || changes_something ? error : SQLITE_OK;
      default: return otherwise;
    }
  }
  bool is_dying() const { return fault_ == Fault::PowerCut && count_ == nth_; }

  void note(const File& file, size_t at, std::string after, bool is_truncation) {
    if (file.path == nullptr) return;
    Change change{is_truncation, at, 0, {}, std::move(after)};
    sqlite3_int64 size = 0;
    file.real->pMethods->xFileSize(file.real, &size);
    change.size_before = static_cast<size_t>(size);
    const size_t end = is_truncation ? change.size_before : std::min(change.size_before, at + change.after.size());
    if (end > at) {
      change.before.resize(end - at);
      file.real->pMethods->xRead(file.real, change.before.data(), static_cast<int>(end - at),
                                 static_cast<sqlite3_int64>(at));
    }
    unsynced_[file.path].push_back(std::move(change));
  }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* handle, int flags, int* out) {
    FaultyDisk& disk = *the();
    File& file = of(handle);
    file.file.pMethods = nullptr;
    if (const int error = disk.verdict(false, SQLITE_CANTOPEN); error != SQLITE_OK) return SQLITE_CANTOPEN;
    file.real = reinterpret_cast<sqlite3_file*>(&file + 1);
    file.path = name;
    const int status = disk.base_->xOpen(disk.base_, name, file.real, flags, out);
    if (file.real->pMethods != nullptr) file.file.pMethods = methods();
    return status;
  }
  static int remove(sqlite3_vfs*, const char* name, int) {
    FaultyDisk& disk = *the();
    if (disk.verdict(true, SQLITE_IOERR_DELETE) != SQLITE_OK) return SQLITE_IOERR_DELETE;
    disk.unsynced_.erase(name);
    return disk.base_->xDelete(disk.base_, name, 0);
  }
  static int read_file(sqlite3_file* f, void* into, int bytes, sqlite3_int64 at) {
    if (the()->verdict(false, SQLITE_IOERR_READ) != SQLITE_OK) return SQLITE_IOERR_READ;
    return real(f)->pMethods->xRead(real(f), into, bytes, at);
  }
  static int write_file(sqlite3_file* f, const void* from, int bytes, sqlite3_int64 at) {
    const int error = the()->verdict(true, SQLITE_IOERR_WRITE);
    if (error != SQLITE_OK && !the()->is_dying()) return error;
    the()->note(of(f), static_cast<size_t>(at), {static_cast<const char*>(from), static_cast<size_t>(bytes)}, false);
    const int status = real(f)->pMethods->xWrite(real(f), from, bytes, at);
    return error != SQLITE_OK ? error : status;
  }
  static int truncate(sqlite3_file* f, sqlite3_int64 size) {
    if (the()->verdict(true, SQLITE_IOERR_TRUNCATE) != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
    the()->note(of(f), static_cast<size_t>(size), {}, true);
    return real(f)->pMethods->xTruncate(real(f), size);
  }
  static int sync(sqlite3_file* f, int) {
    if (the()->verdict(true, SQLITE_IOERR_FSYNC) != SQLITE_OK) return SQLITE_IOERR_FSYNC;
    if (of(f).path != nullptr) the()->unsynced_.erase(of(f).path);
    return SQLITE_OK;  // what is synced here is what `lose_unsynced` leaves: the real disk has no part in it
  }
  static int close(sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); }
  static int file_size(sqlite3_file* f, sqlite3_int64* out) { return real(f)->pMethods->xFileSize(real(f), out); }
  static int lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
  static int unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
  static int reserved(sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
  static int control(sqlite3_file* f, int op, void* arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
  static int sector(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
  static int device(sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
  static int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    if (the()->verdict(false, SQLITE_IOERR_SHMMAP) != SQLITE_OK) return SQLITE_IOERR_SHMMAP;
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
  }
  static int shm_lock(sqlite3_file* f, int at, int n, int flags) {
    return real(f)->pMethods->xShmLock(real(f), at, n, flags);
  }
  static void shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
  static int shm_unmap(sqlite3_file* f, int gone) { return real(f)->pMethods->xShmUnmap(real(f), gone); }

  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods table = {2,        close,       read_file, write_file, truncate, sync,   file_size,
                                             lock,     unlock,      reserved,  control,    sector,   device, shm_map,
                                             shm_lock, shm_barrier, shm_unmap, nullptr,    nullptr};
    return &table;
  }

  sqlite3_vfs* base_;
  sqlite3_vfs vfs_{};
  uint64_t count_ = 0, nth_ = 0;
  Fault fault_ = Fault::None;
  int error_ = SQLITE_OK;
  bool was_hit_ = false;
  std::map<std::string, std::vector<Change>> unsynced_;
};

}  // namespace atys::test
