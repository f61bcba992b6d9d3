// SPDX-License-Identifier: Apache-2.0
#include "linux/run_as.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace atys::linux {

namespace {

// The C library's functions of these names would change all threads.
bool take_identity(uid_t user, gid_t group) {
  constexpr auto kKeep = static_cast<uid_t>(-1);
  return ::syscall(SYS_setresgid, kKeep, group, kKeep) == 0 && ::syscall(SYS_setresuid, kKeep, user, kKeep) == 0;
}

}  // namespace

Result<> run_as(uid_t user, gid_t group, const std::function<Result<>()>& action) {
  if (user == ::geteuid() && group == ::getegid()) return action();
  // A change of identity makes the whole process one that may not be looked into.
  const int dumpable = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  Result<> result;
  std::thread([&] {
    if (take_identity(user, group)) {
      result = action();
    } else {
      result = fail(ErrorCode::PermissionDenied,
                    fmt::format("acting as user {} and group {}: not permitted to user {}", user, group, ::geteuid()),
                    "run atys as root or as that user");
    }
  }).join();
  if (dumpable == 1) ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  return result;
}

}  // namespace atys::linux
