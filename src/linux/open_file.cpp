// SPDX-License-Identifier: Apache-2.0
#include "linux/open_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>

#include "linux/proc_file.h"
#include "linux/proc_text.h"

namespace atys::linux {

namespace {

constexpr size_t kMostSockets = size_t{4} << 20;  // bytes of their list
constexpr size_t kInodeColumn = 6;

// Numbers of devices are for ever: tty, console and the like, the two ends of pseudo terminals.
bool is_terminal(dev_t device) {
  const unsigned kind = major(device);
  return kind == 4 || kind == 5 || (kind >= 136 && kind <= 143) || kind == 204;
}

FileKind kind_of_socket(pid_t pid, uint64_t inode) {
  const auto text = read_proc_file(fmt::format("/proc/{}/net/unix", pid), kMostSockets);
  return text.ok() && lists_unix_socket(*text, inode) ? FileKind::UnixSocket : FileKind::Socket;
}

FileKind kind_of_nameless(const std::string& path) {
  std::array<char, 64> link;
  const ssize_t size = ::readlink(path.c_str(), link.data(), link.size());
  return size <= 0 ? FileKind::Unknown : kind_of_link({link.data(), static_cast<size_t>(size)});
}

}  // namespace

FileKind kind_of_link(std::string_view link) {
  if (link == "anon_inode:[eventfd]") return FileKind::Event;
  if (link == "anon_inode:[timerfd]") return FileKind::Timer;
  if (link == "anon_inode:[signalfd]") return FileKind::Signals;
  return FileKind::Unknown;
}

// Num: RefCount Protocol Flags Type St Inode Path
bool lists_unix_socket(std::string_view text, uint64_t inode) {
  bool is_listed = false;
  for_each_line(text, [&](std::string_view line) {
    if (is_listed || line.find(':') == std::string_view::npos) return;
    const auto words = words_of(line);
    is_listed = words.size() > kInodeColumn && parse_number<uint64_t>(words[kInodeColumn]) == inode;
  });
  return is_listed;
}

OpenFile open_file(pid_t pid, int descriptor, const OpenFile& known) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, descriptor);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  OpenFile file{.inode = status.st_ino};
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK: file.kind = FileKind::File; break;
    case S_IFIFO: file.kind = FileKind::Pipe; break;
    case S_IFCHR: file.kind = is_terminal(status.st_rdev) ? FileKind::Terminal : FileKind::Unknown; break;
    case S_IFSOCK:
      if (known.kind == FileKind::UnixSocket || known.kind == FileKind::Socket)
        if (known.inode == file.inode) return known;
      file.kind = kind_of_socket(pid, file.inode);
      break;
    default: file.kind = kind_of_nameless(path); break;
  }
  return file;
}

}  // namespace atys::linux
