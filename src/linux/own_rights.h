// SPDX-License-Identifier: Apache-2.0
// Giving up rights that we do not need: what a mistake of ours, or whoever finds one, can do is bounded by what is left.
#pragma once

#include <linux/capability.h>

#include <array>
#include <span>

#include "base/result.h"

namespace atys::linux {

// Of an agent that profiles processes of every user, which begins with new ones as long as it lives
// (docs/guide/fleet-running.md says what each is for; packaging/systemd/atys-agent.service has the same list).
inline constexpr std::array<int, 15> kAgentCapabilities = {
    CAP_BPF,              // the sampler in the kernel
    CAP_PERFMON,          // samples of other users' processes, and of the kernel
    CAP_SYS_PTRACE,       // memory, root and files of processes
    CAP_DAC_READ_SEARCH,  // programs and maps that only their user may read
    CAP_DAC_OVERRIDE,     // the socket of a Java machine, and the file that asks for it
    CAP_FOWNER,           // such a socket that a dead machine left in a sticky folder
    CAP_KILL,             // the signal that asks a Java machine to listen
    CAP_SETUID,           // files for a Java machine are made as its user
    CAP_SETGID,           // likewise
    CAP_SYS_ADMIN,        // what our programs in the kernel cost; network namespaces of Node.js; map_files before Linux 5.9
    CAP_CHECKPOINT_RESTORE,  // programs that were deleted or replaced (map_files)
    CAP_SYS_NICE,            // to be on time where the machine is busy, and last where it does not matter
    CAP_SYSLOG,              // addresses of the kernel's functions
    CAP_IPC_LOCK,            // rings of samples beyond what everybody may lock
    CAP_SYS_RESOURCE,        // memory for the kernel's maps before Linux 5.11
};

// Of this thread and those that it will start, so before there are others. What is kept is kept as far as it is there; files
// that are executed later give nothing back, setuid or not.
Result<> keep_only(std::span<const int> capabilities);

}  // namespace atys::linux
