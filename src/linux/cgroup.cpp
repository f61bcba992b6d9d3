// SPDX-License-Identifier: Apache-2.0
#include "linux/cgroup.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "base/hex.h"
#include "base/path_names.h"
#include "base/strings.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

namespace {

constexpr size_t kMostGroups = 200'000;
constexpr size_t kLeastIdDigits = 12;

bool is_group(const std::string& directory) {
  struct stat status {};
  return ::stat((directory + "/cgroup.procs").c_str(), &status) == 0;
}

// Octal escapes of mountinfo: "\040" is a blank.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto number =
        text[i] == '\\' && i + 3 < text.size() ? parse_number<unsigned>(text.substr(i + 1, 3), 8) : std::nullopt;
    if (number && *number < 256) {
      out += static_cast<char>(*number);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string> folders_in(const std::string& directory) {
  std::vector<std::string> folders;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (stream == nullptr) return folders;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") folders.push_back(directory + "/" + std::string(name));
  }
  return folders;
}

// Calls `use` with `directory` and each group below it. Links are not followed; a group that goes away meanwhile is left
// out. False where there were too many.
template <typename Use>
bool walk(const std::string& directory, const Use& use) {
  std::vector<std::string> waiting{directory};
  for (size_t seen = 0; !waiting.empty(); ++seen) {
    if (seen == kMostGroups) return false;
    const std::string current = std::move(waiting.back());
    waiting.pop_back();
    use(current);
    for (std::string& folder : folders_in(current)) waiting.push_back(std::move(folder));
  }
  return true;
}

Cgroup group_in(const CgroupHierarchy& hierarchy, std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  std::string path = directory.substr(std::min(hierarchy.mount.size(), directory.size()));
  return {std::move(directory), path.empty() ? "/" : path, hierarchy.is_unified};
}

bool has_parent_step(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") || path.find("/../") != std::string_view::npos;
}

bool has_processes(const Cgroup& group) {
  const auto pids = processes_in(group);
  return pids.ok() && !pids->empty();
}

// A folder, or a path inside a hierarchy. In a hybrid system a group is often in one hierarchy only, and an empty folder of
// the same name in another: the one with processes wins.
std::vector<Cgroup> find_path(const std::string& typed, const std::vector<CgroupHierarchy>& hierarchies) {
  std::vector<Cgroup> found;
  for (const CgroupHierarchy& hierarchy : hierarchies) {
    if (typed != hierarchy.mount && !typed.starts_with(hierarchy.mount + "/")) continue;
    if (is_group(typed)) return {group_in(hierarchy, typed)};
  }
  for (const CgroupHierarchy& hierarchy : hierarchies) {
    const std::string directory = hierarchy.mount + (typed.starts_with('/') ? "" : "/") + typed;
    if (is_group(directory)) found.push_back(group_in(hierarchy, directory));
  }
  std::stable_partition(found.begin(), found.end(), has_processes);
  if (found.size() > 1) found.resize(1);
  return found;
}

bool is_unit_folder(std::string_view folder, std::string_view unit) {
  if (!folder.starts_with(unit)) return false;
  const std::string_view suffix = folder.substr(unit.size());
  return suffix.empty() || suffix == ".service" || suffix == ".slice" || suffix == ".scope";
}

// By the last name of the folder, in the first hierarchy that has processes there; where none has, in the first at all.
std::vector<Cgroup> find_name(std::string_view typed, const std::vector<CgroupHierarchy>& hierarchies) {
  const bool may_be_id = typed.size() >= kLeastIdDigits && is_lower_hex(typed);
  std::vector<Cgroup> empty;
  for (const CgroupHierarchy& hierarchy : hierarchies) {
    std::vector<Cgroup> found;
    walk(hierarchy.mount, [&](const std::string& directory) {
      const std::string_view folder = base_name(directory);
      if ((may_be_id && is_container_folder(folder, typed)) || is_unit_folder(folder, typed))
        found.push_back(group_in(hierarchy, directory));
    });
    if (std::ranges::any_of(found, has_processes)) return found;
    if (empty.empty()) empty = std::move(found);
  }
  return empty;
}

// A threaded group of version 2 refuses cgroup.procs, but lists its threads.
std::vector<pid_t> members_of(const std::string& directory) {
  std::vector<pid_t> pids;
  const auto add = [&](std::string_view line) {
    // 0: a process of a pid namespace that we do not see.
    if (const auto pid = parse_number<pid_t>(line); pid && *pid > 0) pids.push_back(*pid);
  };
  if (const auto text = read_proc_file(directory + "/cgroup.procs"); text.ok()) {
    for_each_line(*text, add);
    return pids;
  }
  if (const auto text = read_proc_file(directory + "/cgroup.threads"); text.ok()) for_each_line(*text, add);
  for (pid_t& pid : pids) pid = process_of_thread(pid).ok() ? *process_of_thread(pid) : 0;
  std::erase(pids, 0);
  return pids;
}

}  // namespace

bool is_container_folder(std::string_view folder, std::string_view digits) {
  // The monitor of a container carries the container's id in its own name.
  if (digits.empty() || folder.find("conmon") != std::string_view::npos) return false;
  if (folder.ends_with(".scope")) folder.remove_suffix(6);
  const size_t dash = folder.rfind('-');
  const std::string_view id = dash == std::string_view::npos ? folder : folder.substr(dash + 1);
  return id.size() >= 32 && is_lower_hex(id) && id.starts_with(digits);
}

std::string container_in(std::string_view path) {
  constexpr size_t kIdDigits = 64;
  while (!path.empty()) {
    const size_t slash = path.find_last_of('/');
    std::string_view folder = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (folder.find("conmon") != std::string_view::npos) return {};  // who watches a container is not in it
    if (folder.ends_with(".scope")) folder.remove_suffix(6);
    if (const size_t dash = folder.find_last_of("-:"); dash != std::string_view::npos) folder.remove_prefix(dash + 1);
    if (folder.size() == kIdDigits && is_lower_hex(folder)) return std::string(folder);
    if (slash == std::string_view::npos) break;
    path = path.substr(0, slash);
  }
  return {};
}

std::vector<CgroupHierarchy> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupHierarchy> hierarchies;
  for_each_line(mountinfo, [&](std::string_view line) {
    const auto words = words_of(line);
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 7 || words.end() - dash < 2) return;
    const std::string_view type = *(dash + 1);
    if (type == "cgroup" || type == "cgroup2") hierarchies.push_back({unescape(words[4]), type == "cgroup2"});
  });
  std::stable_partition(hierarchies.begin(), hierarchies.end(),
                        [](const CgroupHierarchy& hierarchy) { return hierarchy.is_unified; });
  return hierarchies;
}

std::vector<CgroupHierarchy> cgroup_hierarchies() {
  const auto text = read_proc_file("/proc/self/mountinfo");
  return text.ok() ? parse_cgroup_mounts(*text) : std::vector<CgroupHierarchy>{};
}

Result<Cgroup> resolve_cgroup(std::string_view typed, const std::vector<CgroupHierarchy>& hierarchies) {
  const std::string name(typed);
  if (typed.empty() || has_parent_step(typed) || typed.find('\0') != std::string_view::npos)
    return fail(ErrorCode::InvalidInput, "cgroup '" + name + "': not a path, a container id or the name of a unit");
  if (hierarchies.empty())
    return fail(ErrorCode::Unsupported, "cgroup '" + name + "': no cgroup file system is mounted",
                "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
  std::vector<Cgroup> found = find_path(name, hierarchies);
  if (found.empty() && typed.find('/') == std::string_view::npos) found = find_name(typed, hierarchies);
  if (found.empty())
    return fail(ErrorCode::NotFound, "no cgroup '" + name + "'",
                "name a folder below " + hierarchies.front().mount +
                    ", a container's id (12 digits or more) or a systemd unit; `systemd-cgls` lists them");
  if (found.size() == 1) return found.front();
  const std::string paths = joined(std::span(found).first(std::min<size_t>(found.size(), 5)), ", ",
                                   [](const Cgroup& group) -> std::string_view { return group.path; });
  return fail(ErrorCode::InvalidInput, "cgroup '" + name + "' could be " + std::to_string(found.size()) + ": " + paths,
              "name one of them by its path");
}

Result<Cgroup> resolve_cgroup(std::string_view typed) { return resolve_cgroup(typed, cgroup_hierarchies()); }

Result<std::vector<pid_t>> processes_in(const Cgroup& group) {
  if (!is_group(group.directory)) return fail(ErrorCode::NotFound, "cgroup " + group.directory + ": it is gone");
  std::vector<pid_t> pids;
  const bool all = walk(group.directory, [&](const std::string& directory) {
    const auto members = members_of(directory);
    pids.insert(pids.end(), members.begin(), members.end());
  });
  if (!all) return fail(ErrorCode::ResourceExhausted, "cgroup " + group.directory + ": too many groups below it");
  std::ranges::sort(pids);
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

Result<uint64_t> cgroup_id(const Cgroup& group) {
  struct stat status {};
  if (!group.is_unified)
    return fail(ErrorCode::Unsupported, "cgroup " + group.directory + ": only groups of version 2 have an id");
  if (::stat(group.directory.c_str(), &status) != 0) return fail_errno("stat " + group.directory);
  return static_cast<uint64_t>(status.st_ino);
}

}  // namespace atys::linux
