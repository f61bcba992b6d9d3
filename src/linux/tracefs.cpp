// SPDX-License-Identifier: Apache-2.0
#include "linux/tracefs.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "linux/capabilities.h"
#include "linux/proc_file.h"

namespace atys::linux {

namespace {

bool is_plain_name(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

Result<std::string> find_tracefs() {
  const auto mounts = read_proc_file("/proc/self/mountinfo");
  const std::string folder = mounts.ok() ? find_mount(*mounts, "tracefs") : std::string();
  if (!folder.empty() && ::access((folder + "/events").c_str(), R_OK | X_OK) == 0) return folder;
  return fail(ErrorCode::Unavailable, "tracepoints: tracefs is not mounted, or not ours to read",
              "mount it as root: mount -t tracefs nodev /sys/kernel/tracing");
}

Result<uint64_t> tracepoint_id(const std::string& group, const std::string& name) {
  if (!is_plain_name(group) || !is_plain_name(name))
    return fail(ErrorCode::InvalidInput, "no tracepoint can be called '" + group + ":" + name + "'");
  const std::string folder = TRY(find_tracefs()) + "/events/" + group;
  const auto id = read_proc_file(folder + "/" + name + "/id", 64);
  if (!id.ok())
    return fail(ErrorCode::NotFound, "no tracepoint " + group + ":" + name,
                "the folders below " + folder + "/.. are what there is");
  return std::strtoull(id->c_str(), nullptr, 10);
}

}  // namespace atys::linux
