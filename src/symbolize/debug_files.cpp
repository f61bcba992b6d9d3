// SPDX-License-Identifier: Apache-2.0
#include "symbolize/debug_files.h"

#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "symbolize/debuginfod.h"
#include "symbolize/elf_sections.h"
#include "symbolize/mapped_file.h"

namespace atys::symbolize {

namespace {

constexpr size_t kShortestBuildId = 4;
constexpr uint64_t kLargestLink = uint64_t{64} << 10;
constexpr size_t kMostSectionsCompared = 4096;
constexpr uint64_t kLargestChecked = uint64_t{8} << 30;

struct DebugLink {
  std::string name;
  uint32_t checksum = 0;
};

// A file name, zero bytes up to a multiple of four, and the checksum.
std::optional<DebugLink> debug_link_of(const ElfFile& file) {
  const auto section = file.section(".gnu_debuglink", kLargestLink);
  if (!section) return {};
  const auto* text = reinterpret_cast<const char*>(section->bytes.data());
  const size_t length = ::strnlen(text, section->bytes.size());
  const size_t at = (length + 4) & ~size_t{3};
  if (length == 0 || at + 4 > section->bytes.size()) return {};
  DebugLink link{std::string(text, length)};
  // The name of a file beside the binary; a path could lead anywhere.
  if (link.name.find('/') != std::string::npos || link.name == "." || link.name == "..") return {};
  std::memcpy(&link.checksum, section->bytes.data() + at, sizeof link.checksum);
  return link;
}

Result<uint32_t> checksum_of(const ElfFile& file) {
  if (file.file_size() > kLargestChecked) return fail(ErrorCode::ResourceExhausted, file.name() + ": too large");
  std::vector<char> buffer(size_t{1} << 20);
  uint32_t checksum = 0;
  for (uint64_t at = 0; at < kLargestChecked;) {
    const ssize_t got = ::pread(file.fd(), buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + file.name());
    if (got == 0) break;
    checksum = libdeflate_crc32(checksum, buffer.data(), static_cast<size_t>(got));
    at += static_cast<uint64_t>(got);
  }
  return checksum;
}

Result<ElfFile> open_in_root(const std::string& root, const std::string& path) {
  const UniqueFd handle = TRY(open_path_in_root(root, path));
  struct stat status {};
  // Before it is opened for reading: opening a device can have effects.
  if (::fstat(handle.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail(ErrorCode::InvalidInput, path + ": not a regular file");
  return ElfFile::open(TRY(open_for_reading(handle, path)), path);
}

bool is_the_file_itself(const ElfFile& a, const ElfFile& b) {
  struct stat first {};
  struct stat second {};
  if (::fstat(a.fd(), &first) != 0 || ::fstat(b.fd(), &second) != 0) return false;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

using Roots = std::vector<std::string>;

Roots roots_of(const DebugFileSearch& search) {
  if (search.root.empty()) return {""};
  return {search.root, ""};
}

// Where code lies, by section. A debug file has the headers of all sections of its binary, with nothing behind them.
std::map<std::string, std::pair<uint64_t, uint64_t>> places_of_code(const ElfFile& file) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> places;
  for_each_section(file, [&](std::string_view name, Elf_Scn*, const GElf_Shdr& header) {
    if ((header.sh_flags & SHF_EXECINSTR) != 0 && places.size() < kMostSectionsCompared)
      places.try_emplace(std::string(name), header.sh_addr, header.sh_size);
  });
  return places;
}

// Whether all that the two say of the same thing is the same.
bool belongs_to(const ElfFile& file, const ElfFile& debug) {
  if (debug.build_id() != file.build_id() || debug.machine() != file.machine()) return false;
  const auto places = places_of_code(file);
  for (const auto& [name, place] : places_of_code(debug))
    if (const auto same = places.find(name); same != places.end() && same->second != place) return false;
  return true;
}

template <typename Belongs>
Result<ElfFile> find_by_build_id(const std::string& build_id, const DebugFileSearch& search, const Roots& roots,
                                 const Belongs& belongs) {
  if (build_id.size() >= kShortestBuildId) {
    const std::string path =
        search.debug_folder + "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
    for (const std::string& root : roots)
      if (auto found = open_in_root(root, path); found.ok() && belongs(*found)) return found;
  }
  return fail(ErrorCode::NotFound, "no debug file of build " + build_id);
}

Result<ElfFile> find_by_link(const ElfFile& file, const DebugFileSearch& search, const Roots& roots) {
  const auto link = debug_link_of(file);
  if (!link || !search.path.starts_with('/')) return fail(ErrorCode::NotFound, file.name() + ": no .gnu_debuglink");
  const std::string folder = std::filesystem::path(search.path).parent_path().string();
  for (const std::string& root : roots) {
    for (const std::string& candidate : {folder + "/", folder + "/.debug/", search.debug_folder + folder + "/"}) {
      auto found = open_in_root(root, candidate + link->name);
      if (!found.ok() || is_the_file_itself(file, *found) || !belongs_to(file, *found)) continue;
      // A build id says more than the checksum does, and does not need the whole file to be read.
      if (!file.build_id().empty()) return found;
      if (const auto checksum = checksum_of(*found); checksum.ok() && *checksum == link->checksum) return found;
    }
  }
  return fail(ErrorCode::NotFound, file.name() + ": its debug file " + link->name + " is not there");
}

Result<ElfFile> find_in(const ElfFile& file, const DebugFileSearch& search, const Roots& roots) {
  const auto belongs = [&](const ElfFile& found) { return belongs_to(file, found); };
  if (auto found = find_by_build_id(file.build_id(), search, roots, belongs); found.ok()) return found;
  return find_by_link(file, search, roots);
}

}  // namespace

Result<ElfFile> find_debug_file(const ElfFile& file, const DebugFileSearch& search) {
  auto linked = find_in(file, search, roots_of(search));
  if (linked.ok() || !search.may_ask_debuginfod || file.build_id().empty()) return linked;
  ElfFile found = TRY(ElfFile::open(TRY(ask_debuginfod(file.build_id(), search.debuginfod_seconds)), search.path));
  if (!belongs_to(file, found))
    return fail(ErrorCode::InvalidInput, search.path + ": debuginfod gave a file of another build");
  return found;
}

Result<ElfFile> find_debug_file_in_root(const ElfFile& file, const DebugFileSearch& search) {
  return find_in(file, search, {search.root});
}

Result<ElfFile> find_alternate_file(const DwarfInfo::AlternateLink& link, const DebugFileSearch& search) {
  const auto belongs = [&](const ElfFile& found) { return found.build_id() == link.build_id; };
  if (auto found = find_by_build_id(link.build_id, search, roots_of(search), belongs); found.ok()) return found;
  // Links are relative to the debug file or to the file system; only the name under .dwz is taken from them.
  const std::string name = std::filesystem::path(link.path).filename().string();
  const std::string folder = std::filesystem::path(link.path).parent_path().filename().string();
  for (const std::string& root : roots_of(search))
    for (const std::string& path :
         {search.debug_folder + "/.dwz/" + name, search.debug_folder + "/.dwz/" + folder + "/" + name,
          std::filesystem::path(search.path).parent_path().string() + "/" + name})
      if (auto found = open_in_root(root, path); found.ok() && found->build_id() == link.build_id) return found;
  return fail(ErrorCode::NotFound, "the shared debug file " + link.path + " is not there");
}

}  // namespace atys::symbolize
