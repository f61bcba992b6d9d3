// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/checked_vfs.h"

#include <sqlite3.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/embedded/page_check.h"

namespace atys::store {

namespace {

constexpr int kLeastPage = 512;

sqlite3_vfs* beneath() { return sqlite3_vfs_find(nullptr); }

bool is_page_size(int bytes) { return bytes >= kLeastPage && std::has_single_bit(static_cast<unsigned>(bytes)); }

// SQLite gives the memory for it, and sees `file` alone.
struct CheckedFile {
  sqlite3_file file;
  sqlite3_file* real;  // of the VFS beneath, in memory of ours
  bool is_database, is_log;
  bool knows_kind, is_checked;  // of a database: whether its pages have checksums
};

CheckedFile& checked(sqlite3_file* file) { return *reinterpret_cast<CheckedFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return checked(file).real; }

int read_real(CheckedFile& file, void* into, int bytes, sqlite3_int64 offset) {
  return file.real->pMethods->xRead(file.real, into, bytes, offset);
}

void learn_kind(CheckedFile& file, ByteView header) {
  file.knows_kind = true;
  file.is_checked = has_checksums(header);
}

// Pages may be read before the header is: then the log has the newer first page.
int learn_kind(CheckedFile& file) {
  if (file.knows_kind) return SQLITE_OK;
  std::array<uint8_t, kHeaderBytes> header{};
  const int status = read_real(file, header.data(), kHeaderBytes, 0);
  if (status == SQLITE_OK) learn_kind(file, header);
  return status == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : status;
}

int check_page(CheckedFile& file, ByteView page, sqlite3_int64 offset) {
  if (offset == 0) learn_kind(file, page);
  const int status = learn_kind(file);
  if (status != SQLITE_OK || !file.is_checked) return status;
  const bool is_intact =
      offset % static_cast<int64_t>(page.size()) == 0 && is_page_intact(page, static_cast<uint64_t>(offset) / page.size());
  return is_intact ? SQLITE_OK : SQLITE_IOERR_DATA;
}

int check_frame(CheckedFile& file, ByteView page, sqlite3_int64 offset) {
  const auto frame_bytes = static_cast<int64_t>(kFrameHeaderBytes + page.size());
  if ((offset - kLogHeaderBytes) % frame_bytes != kFrameHeaderBytes) return SQLITE_OK;  // not a page of it
  std::array<uint8_t, kLogHeaderBytes> log{}, before{};
  std::array<uint8_t, kFrameHeaderBytes> frame{};
  const bool is_first = offset == kLogHeaderBytes + kFrameHeaderBytes;
  const int before_bytes = is_first ? kLogHeaderBytes : kFrameHeaderBytes;
  const int64_t before_at = is_first ? 0 : offset - kFrameHeaderBytes - frame_bytes;
  int status = read_real(file, log.data(), kLogHeaderBytes, 0);
  if (status == SQLITE_OK) status = read_real(file, frame.data(), kFrameHeaderBytes, offset - kFrameHeaderBytes);
  if (status == SQLITE_OK) status = read_real(file, before.data(), before_bytes, before_at);
  if (status != SQLITE_OK) return status;
  const ByteView previous = ByteView(before).first(static_cast<size_t>(before_bytes));
  return is_frame_intact(log, previous, frame, page) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

int file_read(sqlite3_file* handle, void* into, int bytes, sqlite3_int64 offset) {
  CheckedFile& file = checked(handle);
  const int status = read_real(file, into, bytes, offset);
  // Half a page is none; SQLite would take it for one of zeros.
  if (status == SQLITE_IOERR_SHORT_READ && file.is_database && is_page_size(bytes) && learn_kind(file) == SQLITE_OK) {
    return file.is_checked ? SQLITE_IOERR_DATA : status;
  }
  if (status != SQLITE_OK) return status;
  const ByteView page(static_cast<const uint8_t*>(into), static_cast<size_t>(bytes));
  if (file.is_database && offset == 0 && bytes >= kHeaderBytes && !is_page_size(bytes)) learn_kind(file, page);
  if (!is_page_size(bytes)) return SQLITE_OK;
  return file.is_database ? check_page(file, page, offset) : file.is_log ? check_frame(file, page, offset) : SQLITE_OK;
}

int file_write(sqlite3_file* handle, const void* from, int bytes, sqlite3_int64 offset) {
  CheckedFile& file = checked(handle);
  const ByteView page(static_cast<const uint8_t*>(from), static_cast<size_t>(bytes));
  if (file.is_database && is_page_size(bytes)) {
    if (offset == 0) learn_kind(file, page);
    if (const int status = learn_kind(file); status != SQLITE_OK) return status;
    if (file.is_checked) {
      thread_local std::vector<uint8_t> copy;
      copy.assign(page.begin(), page.end());
      XXH64_canonical_t sum;
      XXH64_canonicalFromHash(&sum, page_checksum(page, static_cast<uint64_t>(offset) / page.size()));
      std::memcpy(copy.data() + copy.size() - kChecksumBytes, sum.digest, kChecksumBytes);
      return file.real->pMethods->xWrite(file.real, copy.data(), bytes, offset);
    }
  }
  return file.real->pMethods->xWrite(file.real, from, bytes, offset);
}

int file_close(sqlite3_file* handle) {
  CheckedFile& file = checked(handle);
  const int status = file.real->pMethods->xClose(file.real);
  sqlite3_free(file.real);
  file.real = nullptr;
  return status;
}

int file_truncate(sqlite3_file* f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); }
int file_sync(sqlite3_file* f, int flags) { return real(f)->pMethods->xSync(real(f), flags); }
int file_size(sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); }
int file_lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
int file_unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
int file_reserved(sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
int file_control(sqlite3_file* f, int op, void* arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
int file_sector(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
int file_device(sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
int shm_lock(sqlite3_file* f, int offset, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
void shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int shm_unmap(sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }

// Without mapped files, which would be read past us.
constexpr sqlite3_io_methods kMethods = {2,           file_close, file_read,   file_write,    file_truncate, file_sync,
                                         file_size,   file_lock,  file_unlock, file_reserved, file_control,  file_sector,
                                         file_device, shm_map,    shm_lock,    shm_barrier,   shm_unmap,     nullptr,
                                         nullptr};

int open(sqlite3_vfs*, const char* name, sqlite3_file* handle, int flags, int* out_flags) {
  sqlite3_vfs* base = beneath();
  CheckedFile& file = checked(handle);
  std::memset(&file, 0, sizeof file);
  file.real = static_cast<sqlite3_file*>(sqlite3_malloc(base->szOsFile));
  if (file.real == nullptr) return SQLITE_NOMEM;
  std::memset(file.real, 0, static_cast<size_t>(base->szOsFile));
  const int status = base->xOpen(base, name, file.real, flags, out_flags);
  if (status != SQLITE_OK) {
    if (file.real->pMethods != nullptr) file.real->pMethods->xClose(file.real);
    sqlite3_free(file.real);
    file.real = nullptr;
    return status;
  }
  file.is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  file.is_log = (flags & SQLITE_OPEN_WAL) != 0;
  file.file.pMethods = &kMethods;
  return SQLITE_OK;
}

int remove(sqlite3_vfs*, const char* name, int sync) { return beneath()->xDelete(beneath(), name, sync); }
int access(sqlite3_vfs*, const char* name, int flags, int* out) { return beneath()->xAccess(beneath(), name, flags, out); }
int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
  return beneath()->xFullPathname(beneath(), name, size, out);
}
int randomness(sqlite3_vfs*, int bytes, char* out) { return beneath()->xRandomness(beneath(), bytes, out); }
int sleep(sqlite3_vfs*, int microseconds) { return beneath()->xSleep(beneath(), microseconds); }
int current_time(sqlite3_vfs*, double* out) { return beneath()->xCurrentTime(beneath(), out); }
int last_error(sqlite3_vfs*, int size, char* out) { return beneath()->xGetLastError(beneath(), size, out); }
int current_time_64(sqlite3_vfs*, sqlite3_int64* out) { return beneath()->xCurrentTimeInt64(beneath(), out); }

sqlite3_vfs* make_vfs() {
  static sqlite3_vfs vfs{};
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(CheckedFile);
  vfs.mxPathname = 1024;
  vfs.zName = "atys-checked";
  vfs.xOpen = open;
  vfs.xDelete = remove;
  vfs.xAccess = access;
  vfs.xFullPathname = full_path;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
  vfs.xCurrentTimeInt64 = current_time_64;
  CHECK(sqlite3_vfs_register(&vfs, /*makeDflt=*/0) == SQLITE_OK);
  return &vfs;
}

}  // namespace

const char* checked_vfs() {
  static const sqlite3_vfs* const vfs = make_vfs();
  return vfs->zName;
}

}  // namespace atys::store
