// SPDX-License-Identifier: Apache-2.0
// A folder in another process's /tmp, owned by its user, which nobody else may enter: for files that we hand to the process
// and that it hands to us. Everything in it is done with the rights of that user and without following links, so the process
// cannot lead us to files that are not its own. Gone, with the files that were named, when this object goes, also when the
// process has ended before.
#pragma once

#include <set>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "linux/process.h"

namespace atys::capture::java {

class PrivateFolder {
 public:
  static Result<PrivateFolder> create(const linux::ProcessInfo& process);

  PrivateFolder(PrivateFolder&&) noexcept = default;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  const std::string& name() const { return name_; }  // in /tmp
  // Of one whose maker was killed: removes it with the files that are named, as that user. `parent` is that /tmp.
  static void remove(int parent, const std::string& name, uid_t user, gid_t group, const std::set<std::string>& files);

  // The path of a file as the process sees it. It is removed at the end if it is there then.
  std::string path(const std::string& file);
  // An executable file that the process can read; its path.
  Result<std::string> add(const std::string& file, std::span<const std::byte> content);
  // What a file holds from `offset` on. More than `limit` bytes is an error.
  Result<Bytes> read(const std::string& file, uint64_t offset, size_t limit) const;
  // The text of a small file, which is removed. Empty if there is none.
  std::string take_text(const std::string& file) const;
  // Gives the disk space of a file's first bytes back, where the file system can.
  void forget(const std::string& file, uint64_t bytes) const;

 private:
  PrivateFolder() = default;
  Result<UniqueFd> open_plain(const std::string& file, int flags) const;

  uid_t user_ = 0;
  gid_t group_ = 0;
  std::string name_;
  UniqueFd parent_;
  UniqueFd folder_;
  std::set<std::string> files_;
};

}  // namespace atys::capture::java
