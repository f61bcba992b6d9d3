// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/store_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/byte_sink.h"
#include "store/embedded/calendar.h"

namespace atys::store {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDamaged = ".damaged";

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
  if (to_write) folder.lock_ = TRY(lock(folder.path_ + "/writer.lock"));
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

uint64_t StoreFolder::damaged_files() const {
  uint64_t count = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.find(std::string(".db") + kDamaged) != std::string::npos && !name.ends_with("-wal")) ++count;
  }
  return count;
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
  if (::unlink(path.c_str()) != 0) return fail_errno("removing " + path);
  for (const char* suffix : {"-wal", "-shm"}) ::unlink((path + suffix).c_str());
  return {};
}

Result<> StoreFolder::set_aside(int64_t day_ns) const {
  const std::string path = day_path(day_ns);
  std::string aside = path + kDamaged;
  std::error_code error;
  for (int i = 2; fs::exists(aside, error); ++i) aside = fmt::format("{}{}-{}", path, kDamaged, i);
  if (::rename(path.c_str(), aside.c_str()) != 0) return fail_errno("setting aside " + path);
  (void)::rename((path + "-wal").c_str(), (aside + "-wal").c_str());
  ::unlink((path + "-shm").c_str());
  return {};
}

}  // namespace atys::store
