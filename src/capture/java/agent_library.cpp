// SPDX-License-Identifier: Apache-2.0
#include "capture/java/agent_library.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/unique_fd.h"
#include "base/zip.h"
#include "linux/proc_text.h"
#include "symbolize/elf_file.h"

namespace atys::capture::java {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libasyncProfiler.so";
constexpr size_t kLargestLibrary = size_t{32} << 20;
constexpr size_t kLargestJar = size_t{64} << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The folder of the jar, as async-profiler calls the machine; empty: it is not made for it.
std::string_view folder_in_jar(uint16_t machine) {
  switch (machine) {
    case EM_X86_64: return "linux-x64";
    case EM_AARCH64: return "linux-arm64";
    default: return {};
  }
}

Error not_found(const std::string& where) {
  return fail(ErrorCode::NotFound, "async-profiler was not found" + where,
              fmt::format("get it with `{}`, or set ATYS_ASYNC_PROFILER to its {}", kMavenCommand, kLibrary));
}

Result<Bytes> read_trusted(const std::string& path, size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) return fail_errno("opening " + path);
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::InvalidInput, path + " is not a plain file");
  if ((status.st_uid != ::geteuid() && status.st_uid != 0) || (status.st_mode & S_IWOTH) != 0)
    return fail(ErrorCode::PermissionDenied,
                path + " is refused: others could have written what would run inside the processes",
                fmt::format("chown it to root or to user {}, and take the write permission from others", ::geteuid()));
  if (static_cast<uint64_t>(status.st_size) > limit) return fail(ErrorCode::ResourceExhausted, path + " is too large");
  Bytes bytes(static_cast<size_t>(status.st_size));
  size_t have = 0;
  for (ssize_t got = 1; have < bytes.size() && got > 0; have += static_cast<size_t>(std::max<ssize_t>(got, 0)))
    got = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
  if (have < bytes.size()) return fail(ErrorCode::InvalidInput, path + " cannot be read whole");
  return bytes;
}

Result<AgentLibrary> open_library(const std::string& path, uint16_t machine) {
  AgentLibrary library{.path = path, .is_in_jar = path.ends_with(".jar"), .content = {}};
  if (library.is_in_jar) {
    if (folder_in_jar(machine).empty())
      return fail(ErrorCode::Unsupported, "async-profiler is not made for this kind of machine");
    const Bytes jar = TRY(read_trusted(path, kLargestJar));
    auto entry = read_zip_entry(jar, fmt::format("{}/{}", folder_in_jar(machine), kLibrary), kLargestLibrary);
    if (!entry.ok()) return in_context(path, entry.error());
    library.content = entry.take();
  } else {
    library.content = TRY(read_trusted(path, kLargestLibrary));
  }
  const auto elf = TRY(symbolize::ElfFile::parse(library.content, path));
  if (elf.machine() != machine)
    return fail(ErrorCode::Unsupported, path + " is for another kind of machine than the process");
  return library;
}

bool is_there(const std::string& path) {
  std::error_code problem;
  return fs::exists(path, problem);
}

// Entries of a folder whose names begin and end so, sorted.
std::vector<std::string> entries(const std::string& folder, std::string_view begin, std::string_view end) {
  std::vector<std::string> found;
  std::error_code problem;
  for (fs::directory_iterator it(folder, problem), none; !problem && it != none && found.size() < 1000;
       it.increment(problem)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) found.push_back(it->path().string());
  }
  std::ranges::sort(found);
  return found;
}

std::string in_folder(const std::string& folder, uint16_t machine) {
  for (const std::string& inside :
       {std::string(kLibrary), fmt::format("lib/{}", kLibrary), fmt::format("{}/{}", folder_in_jar(machine), kLibrary)})
    if (is_there(folder + "/" + inside)) return folder + "/" + inside;
  const auto jars = entries(folder, "async-profiler", ".jar");
  return jars.empty() ? "" : jars.back();
}

std::string in_maven(const std::string& repository) {
  std::string best;
  for (const std::string& folder : entries(repository + "/tools/profiler/async-profiler", "", "")) {
    const std::string version = fs::path(folder).filename().string();
    const std::string jar = fmt::format("{}/async-profiler-{}.jar", folder, version);
    if (is_there(jar) && (best.empty() || is_newer(version, fs::path(best).parent_path().filename().string()))) best = jar;
  }
  return best;
}

}  // namespace

bool is_newer(const std::string& version, const std::string& than) {
  const auto next = [](std::string_view& text) {
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const uint64_t number = linux::parse_number<uint64_t>(text.substr(0, end)).value_or(0);
    text.remove_prefix(std::min(end + 1, text.size()));
    return number;
  };
  std::string_view a = version;
  std::string_view b = than;
  while (!a.empty() || !b.empty()) {
    const uint64_t one = next(a);
    const uint64_t other = next(b);
    if (one != other) return one > other;
  }
  return false;
}

AgentPlaces AgentPlaces::of_environment() {
  AgentPlaces places{.chosen = variable("ATYS_ASYNC_PROFILER"), .folders = {}, .maven = {}};
  const std::string home = variable("HOME");
  std::string ours = variable("ATYS_HOME");
  if (ours.empty() && !variable("XDG_DATA_HOME").empty()) ours = variable("XDG_DATA_HOME") + "/atys";
  if (ours.empty() && !home.empty()) ours = home + "/.local/share/atys";
  if (!ours.empty()) places.folders.push_back(ours + "/async-profiler");
  for (const char* folder :
       {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/async-profiler", "/usr/share/async-profiler"})
    places.folders.emplace_back(folder);
  for (const std::string& folder : entries("/opt", "async-profiler", "")) places.folders.push_back(folder);
  if (!home.empty()) places.maven = home + "/.m2/repository";
  return places;
}

Result<AgentLibrary> find_agent_library(uint16_t machine, const AgentPlaces& places) {
  if (!places.chosen.empty()) {
    std::error_code problem;
    const std::string path = fs::is_directory(places.chosen, problem) ? in_folder(places.chosen, machine) : places.chosen;
    if (path.empty() || !is_there(path)) return not_found(" where ATYS_ASYNC_PROFILER says: " + places.chosen);
    return open_library(path, machine);
  }
  for (const std::string& folder : places.folders)
    if (const std::string path = in_folder(folder, machine); !path.empty()) return open_library(path, machine);
  if (const std::string path = in_maven(places.maven); !places.maven.empty() && !path.empty())
    return open_library(path, machine);
  return not_found("");
}

}  // namespace atys::capture::java
