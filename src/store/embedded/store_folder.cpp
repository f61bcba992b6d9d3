// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/store_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/replace_file.h"
#include "store/embedded/calendar.h"
#include "store/embedded/page_check.h"

namespace atys::store {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDamaged = ".damaged";
constexpr const char* kLog = "-wal";
constexpr size_t kLargestLog = size_t{1} << 30;

// A name for what is set aside that nothing has yet.
std::string free_name(const std::string& path) {
  std::error_code error;
  std::string aside = path + kDamaged;
  for (int i = 2; fs::exists(aside, error); ++i) aside = fmt::format("{}{}-{}", path, kDamaged, i);
  return aside;
}

// What a process that was killed has left half written: `dropped.a1B2c3`, `2026-11-15.db.new`.
void remove_leftovers(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> leftovers;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_note = name.size() == 14 && name.starts_with("dropped.");
    const bool is_day = name.size() > 17 && name.compare(13, 4, ".new") == 0 && day_of_file_name(name.substr(0, 13));
    const bool is_whole_day = name.size() == 17 && name.ends_with(".new") && day_of_file_name(name.substr(0, 13));
    if (is_note || is_day || is_whole_day) leftovers.push_back(entry->path().string());
  }
  for (const std::string& path : leftovers) ::unlink(path.c_str());
}

std::string read_small_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  char text[64];
  const ssize_t size = file.is_open() ? ::read(file.get(), text, sizeof text) : 0;
  return {text, size > 0 ? static_cast<size_t>(size) : 0};
}

// The lock goes with the process, whatever it dies of.
Result<UniqueFd> lock(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return fail_errno("opening " + path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string owner = read_small_file(path);
    return fail(ErrorCode::Unavailable,
                "the store is being written by another process" + (owner.empty() ? "" : " (" + owner + ")"),
                "stop that one, open the store for reading only, or use another folder");
  }
  const std::string owner = fmt::format("pid {}", ::getpid());
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), owner.data(), owner.size(), 0) < 0) {
    return fail_errno("writing " + path);
  }
  return file;
}

}  // namespace

Result<StoreFolder> StoreFolder::open(const std::string& path, bool to_write) {
  std::error_code error;
  if (to_write && !fs::exists(path, error)) {
    if (!fs::create_directories(path, error) && error) {
      return fail(ErrorCode::PermissionDenied, "making the folder " + path + ": " + error.message());
    }
    if (::chmod(path.c_str(), 0700) != 0) return fail_errno("closing the folder " + path + " to others");
  }
  // SQLite does not follow links, for files that others may have put here; our own folder may well be behind one.
  const fs::path real = fs::canonical(path, error);
  if (error) return fail(ErrorCode::NotFound, "no store at " + path + ": " + error.message());
  StoreFolder folder(real.string());
  if (to_write) {
    folder.lock_ = TRY(lock(folder.path_ + "/writer.lock"));
    remove_leftovers(folder.path_);
    // No one else writes: what is in the logs is what a process has left that did not end well.
    for (const int64_t day : TRY(folder.days())) {
      // A disk that is full is no reason not to start: then it is known as long as we run.
      if (!folder.keep_damaged_log(day).ok()) folder.not_kept_.push_back({day, day_file_name(day) + kLog});
    }
  }
  return folder;
}

std::string StoreFolder::day_path(int64_t day_ns) const { return path_ + "/" + day_file_name(day_ns); }

Result<std::vector<int64_t>> StoreFolder::days() const {
  std::vector<int64_t> days;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    if (const auto day = day_of_file_name(entry->path().filename().string())) days.push_back(*day);
  }
  if (error) return fail(ErrorCode::Unavailable, "listing " + path_ + ": " + error.message());
  std::ranges::sort(days);
  return days;
}

uint64_t StoreFolder::bytes() const {
  uint64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const auto size = entry->file_size(gone);
    if (!gone) sum += size;
  }
  return sum;
}

uint64_t StoreFolder::share_of_disk() const {
  std::error_code error;
  const fs::space_info disk = fs::space(path_, error);
  if (error || disk.capacity == 0) return 0;
  const uint64_t reserve = disk.capacity / 20;
  const uint64_t reachable = bytes() + disk.available;
  return std::clamp<uint64_t>(reachable > reserve ? reachable - reserve : 0, disk.capacity / 10, disk.capacity / 2);
}

std::vector<StoreFolder::SetAside> StoreFolder::set_aside() const {
  std::vector<SetAside> found = not_kept_;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const size_t mark = name.find(kDamaged);
    const bool is_log_of_another = name.find("-wal", mark) != std::string::npos;
    if (mark == std::string::npos || is_log_of_another) continue;
    std::string_view of(name.data(), mark);
    if (of.ends_with(kLog)) of.remove_suffix(std::string_view(kLog).size());
    if (const auto day = day_of_file_name(of)) found.push_back({*day, name});
  }
  std::ranges::sort(found, {}, [](const SetAside& each) { return std::tie(each.day_ns, each.name); });
  return found;
}

int64_t StoreFolder::dropped_before_ns() const {
  return std::strtoll(read_small_file(path_ + "/dropped").c_str(), nullptr, 10);
}

Result<> StoreFolder::remove_day(int64_t day_ns) const {
  const int64_t end = day_ns + kDayNs;
  if (end > dropped_before_ns()) {
    // First the note, then the deed: an answer may say that something is gone that is not, but never the reverse.
    const auto note = TRY(open_sink(path_ + "/dropped"));
    TRY(note->write(std::to_string(end) + "\n"));
    TRY(note->commit());
  }
  const std::string path = day_path(day_ns);
  // The way SQLite does it, with the folder on disk.
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  const int status = vfs->xDelete(vfs, path.c_str(), /*syncDir=*/1);
  if (status != SQLITE_OK && status != SQLITE_IOERR_DELETE_NOENT) {
    return fail(ErrorCode::Unavailable, "removing " + path + ": " + sqlite3_errstr(status));
  }
  for (const char* suffix : {kLog, "-shm"}) ::unlink((path + suffix).c_str());
  for (const SetAside& aside : set_aside()) {
    if (aside.day_ns != day_ns) continue;
    ::unlink((path_ + "/" + aside.name).c_str());
    ::unlink((path_ + "/" + aside.name + kLog).c_str());
  }
  return {};
}

Result<> StoreFolder::set_aside(int64_t day_ns) const {
  const std::string path = day_path(day_ns);
  const std::string aside = free_name(path);
  TRY(replace_file(path, aside));
  (void)::rename((path + kLog).c_str(), (aside + kLog).c_str());
  ::unlink((path + "-shm").c_str());
  return {};
}

Result<> StoreFolder::keep_damaged_log(int64_t day_ns) const {
  const std::string path = day_path(day_ns) + kLog;
  std::error_code error;
  if (fs::file_size(path, error) == 0 || error) return {};
  const auto source = TRY(open_source(path));
  const auto bytes = TRY(source->read_all(kLargestLog));
  const ByteView log(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (lost_transactions(log) == 0) return {};
  const auto copy = TRY(open_sink(free_name(path)));
  TRY(copy->write(as_text(bytes)));
  return copy->commit();
}

}  // namespace atys::store
