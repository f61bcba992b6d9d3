// SPDX-License-Identifier: Apache-2.0
// Tables made from binaries, kept on disk by which file they are of (see file_identity.h): one file each, with a checksum,
// replaced atomically. Several processes may use one folder. Files that are damaged, foreign or of another owner are not
// believed; the least recently used are removed when the folder grows over its cap.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::symbolize {

class DiskCache {
 public:
  // Makes the folder where it is not there. It has to be ours, and nobody else may write into it.
  static Result<DiskCache> open(const std::string& folder, uint64_t most_bytes);

  // `kind` says what the bytes are and in which version: lower-case letters, digits and dashes. `build_id` is hexadecimal.
  std::optional<Bytes> load(std::string_view kind, std::string_view build_id);
  // The same, not copied: for large tables of which little is looked at.
  struct Mapped {
    std::span<const std::byte> content;
    std::shared_ptr<const void> keeper;
  };
  std::optional<Mapped> map(std::string_view kind, std::string_view build_id);
  Result<> store(std::string_view kind, std::string_view build_id, std::span<const std::byte> content);

 private:
  struct Header;
  DiskCache(UniqueFd folder, uint64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  Result<> write_file(const std::string& name, const Header& header, std::span<const std::byte> content);
  // The file, if it is one of ours and as long as it says.
  UniqueFd open_file(const std::string& name, Header& header) const;
  // Removes what is too much and says how much is left.
  uint64_t trim();

  UniqueFd folder_;
  uint64_t most_bytes_ = 0;
  // An estimate: other processes write too. Beyond the cap it is counted anew. Empty: not counted yet, as nothing was
  // stored.
  std::optional<uint64_t> used_bytes_;
};

}  // namespace atys::symbolize
