// SPDX-License-Identifier: Apache-2.0
#include "symbolize/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "linux/remote_memory.h"

namespace atys::symbolize {

namespace {

constexpr size_t kLargestVdso = size_t{1} << 20;
constexpr int kSafely = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Result<MappedFile> accept(UniqueFd handle, const std::string& name) {
  MappedFile file{.handle = std::move(handle)};
  if (::fstat(file.handle.get(), &file.status) != 0) return fail_errno("stat " + name);
  if (!S_ISREG(file.status.st_mode)) return fail(ErrorCode::InvalidInput, name + ": not a regular file");
  return file;
}

// Whether the file that now has the name is the one that is mapped. File systems in layers show another device to stat()
// than in the list of mappings; then the inode has to be the same and the file large enough.
bool is_same_file(const struct stat& status, const linux::MappedRange& range) {
  if (status.st_ino != range.file.inode) return false;
  if (status.st_dev == range.file.device) return true;
  return range.file_offset < static_cast<uint64_t>(status.st_size);
}

// Through the mapping itself: whatever has become of the file's name.
Result<MappedFile> find_by_mapping(pid_t pid, const linux::MappedRange& range) {
  const std::string name = fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, range.start, range.end);
  UniqueFd handle(::open(name.c_str(), O_PATH | O_CLOEXEC));
  if (!handle.is_open()) return fail_errno("open " + name);
  MappedFile file = TRY(accept(std::move(handle), range.path));
  // The place may have been mapped anew since the list was read.
  if (!is_same_file(file.status, range)) return fail(ErrorCode::NotFound, range.path + ": no longer mapped there");
  return file;
}

// Who loads a program maps all of it at once and gives the rest back, so that a mapping may be smaller than we were told.
Result<MappedFile> find_by_smaller_mapping(pid_t pid, const linux::MappedRange& range) {
  for (const auto& now : TRY(linux::read_maps(pid)))
    if (now.file == range.file && range.contains(now.start)) return find_by_mapping(pid, now);
  return fail(ErrorCode::NotFound, range.path + ": no longer mapped");
}

Result<MappedFile> find_by_path(const std::string& root, const linux::MappedRange& range) {
  MappedFile file = TRY(accept(TRY(open_path_in_root(root, range.path)), range.path));
  if (!is_same_file(file.status, range))
    return fail(ErrorCode::NotFound, range.path + ": replaced by another file since it was mapped");
  return file;
}

// The program itself has a name in /proc that anybody of the same user may follow.
Result<MappedFile> find_executable(pid_t pid, const linux::MappedRange& range) {
  UniqueFd handle(::open(fmt::format("/proc/{}/exe", pid).c_str(), O_PATH | O_CLOEXEC));
  if (!handle.is_open()) return fail_errno("open the program of process " + std::to_string(pid));
  MappedFile file = TRY(accept(std::move(handle), range.path));
  if (!is_same_file(file.status, range)) return fail(ErrorCode::NotFound, range.path + ": not the program itself");
  return file;
}

// A file without a name that we made ourselves: our library in a program that we started.
Result<MappedFile> find_among_own(const linux::MappedRange& range) {
  if (!range.path.starts_with("/memfd:")) return fail(ErrorCode::NotFound, range.path + ": has a name");
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", problem)) {
    UniqueFd handle(::open(entry.path().c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!handle.is_open() || ::fstat(handle.get(), &status) != 0 || status.st_ino != range.file.inode ||
        !S_ISREG(status.st_mode))
      continue;
    MappedFile file = TRY(accept(std::move(handle), range.path));
    if (is_same_file(file.status, range)) return file;
  }
  return fail(ErrorCode::NotFound, range.path + ": not ours");
}

std::optional<Bytes> read_memory(pid_t pid, const linux::MappedRange& range) {
  if (range.end <= range.start || range.end - range.start > kLargestVdso) return {};
  Bytes image(range.end - range.start);
  if (linux::read_remote_memory(pid, range.start, image) != image.size()) return {};
  return image;
}

}  // namespace

Result<UniqueFd> open_path_in_root(const std::string& root_folder, const std::string& path) {
  const std::string root = root_folder.empty() ? "/" : root_folder;
  const UniqueFd root_fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_fd.is_open()) return fail_errno("open " + root);
  open_how how{};
  how.flags = static_cast<uint64_t>(O_PATH | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root_fd.get(), path.c_str(), &how, sizeof how)));
  // Before Linux 5.6, and where a container's filter forbids what it does not know.
  if (!fd.is_open() && (errno == ENOSYS || errno == EPERM))
    fd.reset(::open((root_folder + path).c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.is_open()) return fail_errno("open " + path);
  return fd;
}

Result<UniqueFd> open_for_reading(const UniqueFd& handle, const std::string& name) {
  UniqueFd fd(::open(fmt::format("/proc/self/fd/{}", handle.get()).c_str(), O_RDONLY | kSafely));
  if (!fd.is_open()) return fail_errno("open " + name);
  return fd;
}

Result<MappedFile> find_mapped_file(pid_t pid, const linux::MappedRange& range) {
  if (range.file.inode == 0 || range.path.empty() || range.path[0] != '/')
    return fail(ErrorCode::NotFound, range.path + ": not a file");
  const std::string proc = fmt::format("/proc/{}", pid);
  if (auto mapped = find_by_mapping(pid, range); mapped.ok()) {
    mapped->can_be_found_again = !range.is_deleted && find_by_path("", range).ok();
    return mapped;
  }
  if (auto own = find_among_own(range); own.ok()) return own;
  if (auto program = find_executable(pid, range); program.ok() && range.is_deleted) return program;
  auto in_root = find_by_path(proc + "/root", range);
  if (in_root.ok()) {
    in_root->can_be_found_again = find_by_path("", range).ok();
    return in_root;
  }
  auto here = find_by_path("", range);
  if (here.ok())
    here->can_be_found_again = true;
  else if (auto mapped = find_by_smaller_mapping(pid, range); mapped.ok())
    return mapped;
  return here;
}

Result<Bytes> read_vdso(pid_t pid, const linux::MappedRange& range) {
  if (auto image = read_memory(pid, range)) return std::move(*image);
  for (const auto& own : TRY(linux::read_maps(::getpid())))
    if (own.path == "[vdso]")
      if (auto image = read_memory(::getpid(), own)) return std::move(*image);
  return fail(ErrorCode::NotFound, "[vdso]: cannot be read");
}

}  // namespace atys::symbolize
