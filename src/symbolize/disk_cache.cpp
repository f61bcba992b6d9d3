// SPDX-License-Identifier: Apache-2.0
#include "symbolize/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/descriptor_io.h"
#include "base/hex.h"

namespace atys::symbolize {

struct DiskCache::Header {
  std::array<char, 8> magic = {'A', 'T', 'Y', 'S', 'S', 'Y', 'M', '\n'};
  uint64_t version = 2;
  uint64_t content_bytes = 0;
  uint64_t checksum = 0;  // of the name and the content, so that a file under another name is refused as well
};

namespace {

constexpr std::string_view kUnfinished = "unfinished-";
constexpr time_t kUnfinishedFor = 3600;  // seconds after which its writer is taken for dead
constexpr uint64_t kLargestContent = uint64_t{1} << 30;

uint64_t checksum_of(const std::string& name, std::span<const std::byte> content) {
  return XXH3_64bits_withSeed(content.data(), content.size(), XXH3_64bits(name.data(), name.size()));
}

// Empty if the parts do not make a name.
std::string file_name(std::string_view kind, std::string_view build_id) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (kind.empty() || kind.size() > 64 || !std::all_of(kind.begin(), kind.end(), is_word)) return {};
  if (build_id.empty() || build_id.size() > 128 || !is_lower_hex(build_id)) return {};
  return fmt::format("{}.{}", build_id, kind);
}

struct CachedFile {
  std::string name;
  uint64_t bytes = 0;
  timespec last_use{};
};

struct CloseListing {
  void operator()(DIR* listing) const { ::closedir(listing); }
};

std::vector<CachedFile> list_files(int folder) {
  std::vector<CachedFile> files;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseListing> listing(again >= 0 ? ::fdopendir(again) : nullptr);
  if (listing == nullptr) return files;
  while (const dirent* entry = ::readdir(listing.get())) {
    struct stat status {};
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({entry->d_name, static_cast<uint64_t>(status.st_size), status.st_mtim});
  }
  return files;
}

}  // namespace

Result<DiskCache> DiskCache::open(const std::string& folder, uint64_t most_bytes) {
  std::error_code problem;
  const auto parent = std::filesystem::path(folder).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, problem);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("make " + folder);
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.is_open()) return fail_errno("open " + folder);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return fail_errno("stat " + folder);
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(ErrorCode::PermissionDenied, folder + ": others may write there", "chmod go-w, or use another folder");
  return DiskCache(std::move(fd), most_bytes);
}

UniqueFd DiskCache::open_file(const std::string& name, Header& header) const {
  if (name.empty()) return {};
  UniqueFd fd(::openat(folder_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return {};
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < sizeof header || size - sizeof header > kLargestContent) return {};
  if (read_all(fd.get(), std::as_writable_bytes(std::span(&header, 1))) != sizeof header) return {};
  if (header.magic != Header{}.magic || header.version != Header{}.version) return {};
  if (header.content_bytes != size - sizeof header) return {};
  return fd;
}

std::optional<Bytes> DiskCache::load(std::string_view kind, std::string_view build_id) {
  const std::string name = file_name(kind, build_id);
  Header header;
  const UniqueFd fd = open_file(name, header);
  if (!fd.is_open()) return {};
  Bytes content(header.content_bytes);
  if (read_all(fd.get(), std::span(content)) != content.size() || checksum_of(name, content) != header.checksum) return {};
  ::futimens(fd.get(), nullptr);  // the time of last use
  return content;
}

// Files in the folder are ours, replaced and removed but never written to again: what is mapped stays as it is.
std::optional<DiskCache::Mapped> DiskCache::map(std::string_view kind, std::string_view build_id) {
  const std::string name = file_name(kind, build_id);
  Header header;
  const UniqueFd fd = open_file(name, header);
  if (!fd.is_open()) return {};
  const size_t bytes = header.content_bytes + sizeof header;
  void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd.get(), 0);
  if (start == MAP_FAILED) return {};
  std::shared_ptr<const void> keeper(start, [bytes](void* memory) { ::munmap(memory, bytes); });
  const std::span content(static_cast<const std::byte*>(start) + sizeof header, header.content_bytes);
  if (checksum_of(name, content) != header.checksum) return {};
  ::futimens(fd.get(), nullptr);  // the time of last use
  return Mapped{content, std::move(keeper)};
}

Result<> DiskCache::write_file(const std::string& name, const Header& header, std::span<const std::byte> content) {
  static std::atomic<unsigned> counter = 0;
  const std::string temporary = fmt::format("{}{}-{}", kUnfinished, ::getpid(), ++counter);
  const UniqueFd fd(::openat(folder_.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.is_open()) return fail_errno("write the symbol cache");
  if (!write_all(fd.get(), std::as_bytes(std::span(&header, 1))) || !write_all(fd.get(), content) ||
      ::renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) != 0) {
    const Error error = fail_errno("write the symbol cache");
    ::unlinkat(folder_.get(), temporary.c_str(), 0);
    return error;
  }
  return {};
}

Result<> DiskCache::store(std::string_view kind, std::string_view build_id, std::span<const std::byte> content) {
  const std::string name = file_name(kind, build_id);
  if (name.empty()) return fail(ErrorCode::InvalidInput, "symbol cache: not a build id");
  if (content.size() + sizeof(Header) > std::min(most_bytes_, kLargestContent))
    return fail(ErrorCode::ResourceExhausted, "symbol cache: too large to be kept");
  TRY(write_file(name, {.content_bytes = content.size(), .checksum = checksum_of(name, content)}, content));
  if (used_bytes_) *used_bytes_ += content.size() + sizeof(Header);
  if (!used_bytes_ || *used_bytes_ > most_bytes_) used_bytes_ = trim();
  return {};
}

uint64_t DiskCache::trim() {
  auto files = list_files(folder_.get());
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) {
    return a.last_use.tv_sec != b.last_use.tv_sec ? a.last_use.tv_sec < b.last_use.tv_sec
                                                  : a.last_use.tv_nsec < b.last_use.tv_nsec;
  });
  uint64_t total = 0;
  for (const CachedFile& file : files) total += file.bytes;
  const bool is_over = total > most_bytes_;
  // A tenth more than needed, so that the next store does not have to do it again.
  const uint64_t wanted = is_over ? most_bytes_ - most_bytes_ / 10 : most_bytes_;
  const time_t now = ::time(nullptr);
  for (size_t i = 0; i < files.size(); ++i) {
    const bool is_unfinished = files[i].name.starts_with(kUnfinished);
    const bool is_abandoned = is_unfinished && files[i].last_use.tv_sec < now - kUnfinishedFor;
    const bool is_newest = i + 1 == files.size();
    if (!is_abandoned && (is_unfinished || is_newest || total <= wanted)) continue;
    if (::unlinkat(folder_.get(), files[i].name.c_str(), 0) == 0) total -= files[i].bytes;
  }
  return total;
}

}  // namespace atys::symbolize
