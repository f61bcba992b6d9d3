// SPDX-License-Identifier: Apache-2.0
#include "capture/java/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_source.h"
#include "base/descriptor_io.h"
#include "base/hex.h"
#include "base/random.h"
#include "capture/target/process_files.h"
#include "linux/run_as.h"

namespace atys::capture::java {

namespace {

constexpr size_t kLongestText = 4096;
constexpr std::string_view kPrefix = ".atys-";

Result<std::string> random_name() { return std::string(kPrefix) + to_hex(TRY(random_bytes(8))); }

Result<Bytes> read_from(int fd, uint64_t offset, size_t size) {
  Bytes bytes(size);
  const std::optional<size_t> got = read_all_at(fd, std::span(bytes), static_cast<off_t>(offset));
  if (!got) return fail_errno("reading a file that the process wrote");
  bytes.resize(*got);
  return bytes;
}

}  // namespace

Result<PrivateFolder> PrivateFolder::create(const linux::ProcessInfo& process) {
  PrivateFolder made;
  made.user_ = process.uid;
  made.group_ = process.gid;
  made.parent_ = open_in_root(process.pid, "/tmp", O_PATH | O_DIRECTORY);
  if (!made.parent_.is_open()) return fail_errno(fmt::format("opening /tmp of process {}", process.pid));
  const std::string name = TRY(random_name());
  TRY(linux::run_as(made.user_, made.group_, [&]() -> Result<> {
    if (::mkdirat(made.parent_.get(), name.c_str(), 0700) != 0)
      return fail_errno(fmt::format("making a folder in /tmp of process {}", process.pid));
    made.name_ = name;
    made.folder_.reset(::openat(made.parent_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!made.folder_.is_open() || ::fstat(made.folder_.get(), &status) != 0) return fail_errno("opening /tmp/" + name);
    if (status.st_uid != made.user_) return fail(ErrorCode::PermissionDenied, "/tmp/" + name + " was replaced");
    return {};
  }));
  return made;
}

PrivateFolder::~PrivateFolder() {
  if (name_.empty()) return;
  (void)linux::run_as(user_, group_, [&]() -> Result<> {
    for (const std::string& file : files_) ::unlinkat(folder_.get(), file.c_str(), 0);
    ::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
    return {};
  });
}

void PrivateFolder::remove(int parent, const std::string& name, uid_t user, gid_t group,
                           const std::set<std::string>& files) {
  if (!name.starts_with(kPrefix) || name.find('/') != std::string::npos) return;
  (void)linux::run_as(user, group, [&]() -> Result<> {
    const UniqueFd folder(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!folder.is_open() || ::fstat(folder.get(), &status) != 0 || status.st_uid != user) return {};
    for (const std::string& file : files) ::unlinkat(folder.get(), file.c_str(), 0);
    ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
    return {};
  });
}

std::string PrivateFolder::path(const std::string& file) {
  files_.insert(file);
  return fmt::format("/tmp/{}/{}", name_, file);
}

Result<std::string> PrivateFolder::add(const std::string& file, std::span<const std::byte> content) {
  const std::string inside = path(file);
  TRY(linux::run_as(user_, group_, [&]() -> Result<> {
    const UniqueFd fd(::openat(folder_.get(), file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0500));
    if (!fd.is_open()) return fail_errno("making " + inside);
    if (!write_all(fd.get(), content)) return fail_errno("writing into /tmp of the process");
    return {};
  }));
  return inside;
}

Result<UniqueFd> PrivateFolder::open_plain(const std::string& file, int flags) const {
  UniqueFd fd(::openat(folder_.get(), file.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return fail_errno(fmt::format("opening /tmp/{}/{}", name_, file));
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::PermissionDenied, fmt::format("/tmp/{}/{} is not a plain file", name_, file));
  return fd;
}

Result<Bytes> PrivateFolder::read(const std::string& file, uint64_t offset, size_t limit) const {
  Bytes bytes;
  TRY(linux::run_as(user_, group_, [&]() -> Result<> {
    const UniqueFd fd = TRY(open_plain(file, O_RDONLY));
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return fail_errno("looking at a file that the process wrote");
    const uint64_t size = static_cast<uint64_t>(status.st_size);
    if (size < offset) return fail(ErrorCode::InvalidInput, file + " has become shorter");
    if (size - offset > limit)
      return fail(ErrorCode::ResourceExhausted, fmt::format("{} is larger than {} bytes", file, limit));
    bytes = TRY(read_from(fd.get(), offset, size - offset));
    return {};
  }));
  return bytes;
}

std::string PrivateFolder::take_text(const std::string& file) const {
  auto bytes = read(file, 0, kLongestText);
  (void)linux::run_as(user_, group_, [&]() -> Result<> {
    ::unlinkat(folder_.get(), file.c_str(), 0);
    return {};
  });
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

void PrivateFolder::forget(const std::string& file, uint64_t bytes) const {
  (void)linux::run_as(user_, group_, [&]() -> Result<> {
    const UniqueFd fd = TRY(open_plain(file, O_WRONLY));
    ::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
    return {};
  });
}

}  // namespace atys::capture::java
