// SPDX-License-Identifier: Apache-2.0
#include "linux/own_rights.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace atys::linux {

namespace {

constexpr int kMostCapabilities = 64;

// Without CAP_SETPCAP they stay in the bounding set, from which no_new_privs lets nothing out.
void shrink_bounding_set(uint64_t kept) {
  for (int capability = 0; capability < kMostCapabilities; ++capability) {
    const bool is_there = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1;
    if (is_there && (kept >> capability & 1) == 0) (void)::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
}

Result<> shrink_own_sets(uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return fail_errno("cannot read our capabilities");
  for (int half = 0; half < _LINUX_CAPABILITY_U32S_3; ++half) {
    const auto mask = static_cast<uint32_t>(kept >> (32 * half));
    sets[half].permitted &= mask;
    sets[half].effective = sets[half].permitted;
    sets[half].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, sets) != 0) return fail_errno("cannot give up capabilities");
  return {};
}

}  // namespace

Result<> keep_only(std::span<const int> capabilities) {
  uint64_t kept = 0;
  for (const int capability : capabilities) kept |= uint64_t{1} << capability;
  shrink_bounding_set(kept);
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  TRY(shrink_own_sets(kept));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("cannot give up new privileges");
  return {};
}

}  // namespace atys::linux
