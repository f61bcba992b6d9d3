// SPDX-License-Identifier: Apache-2.0
// Who refused a system call: a filter around us, a sysctl, a capability that is missing or does not count, a security
// module, the kernel itself. Facts in, cause out; `look_around()` finds the facts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linux/call_filter.h"
#include "linux/capabilities.h"

namespace atys::linux {

enum class Cause {
  Filter,          // of system calls: seccomp
  NoSuchCall,      // a kernel, or a sandbox in place of one, without it
  Capability,      // is missing
  UserNamespace,   // capabilities in it do not count for the machine
  Sysctl,          // is too strict
  Lockdown,        // of the kernel
  LockedMemory,    // is limited, and counted for BPF before 5.11
  HiddenProc,      // /proc does not show it
  SecurityModule,  // or another guard of the kernel: it is none of the others
};
// "filter", "no such call", "capability" …
const char* to_string(Cause cause);

// What is true of us whatever we ask for.
struct Surroundings {
  KernelFeatures features;
  Sysctls sysctls;
  KernelVersion kernel;
  uint32_t uid = 0;                   // effective
  std::vector<std::string> held;      // capabilities, effective: "cap_perfmon"
  std::vector<std::string> gainable;  // that a file could give us: the bounding set
};
Surroundings look_around();

// One system call that failed.
struct RefusedCall {
  SystemCall call = SystemCall::PerfEventOpen;
  int error = 0;
  int nonsense = 0;               // answer_to_nonsense(call)
  int64_t most_paranoid = 2;      // perf: up to this kernel.perf_event_paranoid no capability is needed
  bool is_of_other_user = false;  // the process that it was about
  bool is_of_child = false;       // the process that it was about is our own child
};

struct Refusal {
  std::vector<Cause> causes;              // the first is what refused it; the others would have, without that
  std::string why;                        // one line: all of them
  std::vector<std::string> capabilities;  // that would be enough where they count; empty: none would help
  std::string sysctl;                     // a setting that would be enough: "kernel.perf_event_paranoid=1"; empty: none

  bool has(Cause cause) const;
};
Refusal explain(const RefusedCall& refused, const Surroundings& around);

// A capability or another that includes it; whether it counts for the machine is another question.
bool holds(const Surroundings& around, const std::string& capability);

}  // namespace atys::linux
