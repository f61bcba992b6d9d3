// SPDX-License-Identifier: Apache-2.0
#include "symbolize/file_identity.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <openssl/evp.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "linux/host.h"
#include "linux/namespaces.h"

namespace atys::symbolize {

namespace {

constexpr time_t kSettledSeconds = 2;
constexpr size_t kDigestBytes = 16;

std::string digits_of(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 || length < kDigestBytes)
    return {};
  std::string digits;
  for (size_t i = 0; i < kDigestBytes; ++i) digits += fmt::format("{:02x}", digest[i]);
  return digits;
}

std::string tree_of(pid_t pid) {
  struct stat root {};
  if (::stat(linux::root_of(pid).c_str(), &root) != 0) return {};
  return fmt::format("{}:{}:{}", linux::read_namespaces(pid).mount, root.st_dev, root.st_ino);
}

}  // namespace

std::string FileState::text() const {
  return fmt::format("{}:{}:{}:{}:{}.{}:{}.{}", file.device, file.inode, status.st_size, status.st_uid,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

// Devices without a number of their own (tmpfs, layers, btrfs) get theirs when they are mounted: another one has it after
// the next boot.
std::string FileState::key_on_disk() const {
  if (file.inode == 0 || is_answered_by_a_program || status.st_ctim.tv_sec + kSettledSeconds > ::time(nullptr)) return {};
  const bool is_numbered_anew = major(file.device) == 0;
  const std::string boot = is_numbered_anew ? linux::boot_digits() : std::string();
  if (is_numbered_anew && boot.empty()) return {};
  return digits_of(text() + ":" + boot);
}

FileState state_of(int fd, const linux::FileIdentity& mapped) {
  FileState state{.file = mapped};
  if (::fstat(fd, &state.status) != 0) return state;
  if (mapped.inode == 0) state.file = {state.status.st_dev, state.status.st_ino};
  struct statfs system {};
  state.is_answered_by_a_program = ::fstatfs(fd, &system) != 0 || system.f_type == FUSE_SUPER_MAGIC;
  return state;
}

std::string foreign_tree_of(pid_t pid) {
  static const std::string kOurs = tree_of(::getpid());
  const std::string tree = tree_of(pid);
  return tree == kOurs ? std::string() : tree;
}

}  // namespace atys::symbolize
