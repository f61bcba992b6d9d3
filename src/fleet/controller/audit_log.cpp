// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/unique_fd.h"
#include "base/utc_time.h"

namespace atys::fleet {

void AuditLog::add(int64_t now_ns, const Caller& caller, const std::string& action, const std::string& what,
                   const std::string& outcome) {
  const nlohmann::ordered_json line{{"time", time_text(now_ns)},
                                    {"role", to_string(caller.role)},
                                    {"from", caller.address},
                                    {"action", action},
                                    {"what", what},
                                    {"outcome", outcome}};
  const std::lock_guard lock(mutex_);
  if (!append(line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n")) ++lost_lines_;
}

uint64_t AuditLog::lost_lines() const {
  const std::lock_guard lock(mutex_);
  return lost_lines_;
}

bool AuditLog::append(const std::string& line) {
  struct stat state {};
  if (::stat(path_.c_str(), &state) == 0 && static_cast<uint64_t>(state.st_size) + line.size() > most_bytes_)
    if (std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return false;
  const UniqueFd file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  // One call: lines of two writers do not mix.
  return file.is_open() && ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace atys::fleet
