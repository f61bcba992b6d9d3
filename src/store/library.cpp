// SPDX-License-Identifier: Apache-2.0
#include "store/library.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/hex.h"
#include "format/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace atys::store {

namespace {

constexpr size_t kIdDigits = 32;
constexpr size_t kShortestPrefix = 6;
constexpr std::string_view kExtension = ".pb.gz";

// Unseeded, so that the same profile gets the same id on every machine.
std::string fingerprint(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return to_hex({reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest});
}

Result<LibraryEntry> entry_for(const std::string& id, const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return fail_errno("cannot read the library entry " + path);
  return LibraryEntry{id, path, status.st_size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace

bool looks_like_id(std::string_view text) {
  return text.size() >= kShortestPrefix && text.size() <= kIdDigits && is_lower_hex(text);
}

Library Library::open_default() {
  if (const char* home = std::getenv("ATYS_HOME"); home != nullptr && *home != '\0') return Library(home);
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    return Library(std::string(data) + "/atys");
  const char* user_home = std::getenv("HOME");
  return Library(std::string(user_home != nullptr ? user_home : "") + "/.local/share/atys");
}

Result<LibraryEntry> Library::keep(const Profile& profile) const {
  const format::Format& pprof = *format::find_format("pprof");
  StringSink bytes;
  TRY(pprof.write(profile, {}, bytes));
  const std::string_view own_id = profile.text(profile.header.id);
  const std::string id = own_id.size() == kIdDigits / 2 ? to_hex(own_id) : fingerprint(bytes.text());

  std::error_code error;
  std::filesystem::create_directories(folder(), error);
  if (error) {
    return fail(ErrorCode::PermissionDenied, "cannot make the library folder " + folder() + ": " + error.message(),
                "set ATYS_HOME to a folder that you may write");
  }
  const std::string path = folder() + "/" + id + std::string(kExtension);
  if (!std::filesystem::exists(path)) {
    const auto sink = TRY(open_sink(path));
    TRY(sink->write(bytes.text()));
    TRY(sink->commit());
  }
  return entry_for(id, path);
}

Result<std::vector<LibraryEntry>> Library::list() const {
  std::vector<LibraryEntry> entries;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder(), error)) {
    const std::string name = file.path().filename().string();
    const std::string_view id = std::string_view(name).substr(0, std::min(name.size(), kIdDigits));
    if (name.size() != kIdDigits + kExtension.size() || !name.ends_with(kExtension) || !is_lower_hex(id)) continue;
    if (auto entry = entry_for(std::string(id), file.path().string()); entry.ok()) entries.push_back(entry.take());
  }
  // No folder yet is an empty library.
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::PermissionDenied, "cannot list the library " + folder() + ": " + error.message());
  }
  std::ranges::sort(entries, [](const LibraryEntry& a, const LibraryEntry& b) {
    return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns : a.id < b.id;
  });
  return entries;
}

Result<LibraryEntry> Library::find(std::string_view id_or_prefix) const {
  std::vector<LibraryEntry> fitting;
  for (LibraryEntry& entry : TRY(list())) {
    if (entry.id.starts_with(id_or_prefix)) fitting.push_back(std::move(entry));
  }
  const std::string asked(id_or_prefix);
  if (fitting.empty()) {
    return fail(ErrorCode::NotFound, "cannot find profile " + asked + ": neither a file nor in the library",
                "atys list shows the library");
  }
  if (fitting.size() > 1) {
    return fail(ErrorCode::InvalidInput,
                "cannot tell which profile " + asked + " is: " + std::to_string(fitting.size()) + " ids begin so",
                "give more digits");
  }
  return std::move(fitting.front());
}

Result<Profile> Library::read(const LibraryEntry& entry) const { return format::read_profile_file(entry.path); }

Result<> Library::remove(const LibraryEntry& entry) const {
  if (::unlink(entry.path.c_str()) != 0) return fail_errno("cannot remove " + entry.path);
  return {};
}

}  // namespace atys::store
