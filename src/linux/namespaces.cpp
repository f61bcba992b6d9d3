// SPDX-License-Identifier: Apache-2.0
#include "linux/namespaces.h"

#include <unistd.h>

#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

namespace {

uint64_t namespace_of(const std::string& process, const char* kind) {
  char link[128];
  const ssize_t length = ::readlink(("/proc/" + process + "/ns/" + kind).c_str(), link, sizeof link);
  return length <= 0 ? 0 : parse_namespace_link({link, static_cast<size_t>(length)});
}

Namespaces namespaces_of(const std::string& process) {
  return {namespace_of(process, "pid"), namespace_of(process, "mnt"), namespace_of(process, "user"),
          namespace_of(process, "net")};
}

bool is_foreign(uint64_t theirs, uint64_t ours) { return theirs != 0 && ours != 0 && theirs != ours; }

size_t depth_of_pid(const std::string& process) {
  const auto status = read_proc_file("/proc/" + process + "/status");
  return status.ok() ? words_of(value_of(*status, "NStgid")).size() : 0;
}

}  // namespace

uint64_t parse_namespace_link(std::string_view link) {
  const size_t open = link.find(":[");
  if (open == std::string_view::npos || !link.ends_with(']')) return 0;
  return parse_number<uint64_t>(link.substr(open + 2, link.size() - open - 3)).value_or(0);
}

Namespaces read_namespaces(pid_t pid) { return namespaces_of(std::to_string(pid)); }

ForeignNamespaces foreign_namespaces(pid_t pid) {
  const Namespaces theirs = read_namespaces(pid);
  const Namespaces ours = namespaces_of("self");
  ForeignNamespaces foreign{is_foreign(theirs.pid, ours.pid), is_foreign(theirs.mount, ours.mount),
                            is_foreign(theirs.user, ours.user), is_foreign(theirs.net, ours.net)};
  // The links want permission, the list of its pids does not: a deeper process has more of them.
  if (theirs.pid == 0) foreign.pid = depth_of_pid(std::to_string(pid)) > depth_of_pid("self");
  return foreign;
}

std::string root_of(pid_t pid) { return "/proc/" + std::to_string(pid) + "/root"; }

Result<std::vector<ThreadIds>> read_thread_ids(pid_t pid) {
  std::vector<ThreadIds> ids;
  for (const pid_t thread : TRY(list_threads(pid))) {
    const auto status = read_proc_file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/status");
    if (!status.ok()) continue;  // ended meanwhile
    const auto names = words_of(value_of(*status, "NSpid"));
    ids.push_back({thread, names.empty() ? thread : parse_number<pid_t>(names.back()).value_or(thread)});
  }
  return ids;
}

Result<pid_t> thread_outside(pid_t pid, pid_t inside) {
  for (const ThreadIds& ids : TRY(read_thread_ids(pid)))
    if (ids.inside == inside) return ids.outside;
  return fail(ErrorCode::NotFound, "process " + std::to_string(pid) + ": no thread that it calls " + std::to_string(inside));
}

uint64_t inner_pid_namespace() {
  constexpr uint64_t kFirst = 0xEFFFFFFC;  // PROC_PID_INIT_INO: part of the kernel's interface since 3.8
  const uint64_t ours = namespace_of("self", "pid");
  return ours == kFirst ? 0 : ours;
}

}  // namespace atys::linux
