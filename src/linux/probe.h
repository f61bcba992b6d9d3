// SPDX-License-Identifier: Apache-2.0
// Tries what capture may need: opens an event, loads a program, reads memory, and takes it back at once. What documentation
// and capabilities promise and what a kernel, a sandbox or a virtual machine allows are two things.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "linux/capabilities.h"
#include "linux/host.h"

namespace atys::linux {

// One try. `error` is an errno; 0: it worked.
struct Attempt {
  int error = 0;
  std::string detail;  // what was tried or found

  bool ok() const { return error == 0; }
};

// Everything that was tried on this machine, and what explains it.
struct Probes {
  Host host;
  uint32_t uid = 0;                   // effective
  std::string capabilities;           // effective, with commas; "all", "none"
  std::vector<std::string> gainable;  // capabilities that a file could give us: the bounding set
  bool has_perfmon = false;           // cap_perfmon or cap_sys_admin
  bool has_bpf = false;               // cap_bpf or cap_sys_admin
  bool has_ptrace = false;            // cap_sys_ptrace
  Sysctls sysctls;
  KernelFeatures features;
  std::string program;  // our own executable, for setcap

  Attempt perf_self;        // cpu-clock of ourselves, user space only
  Attempt perf_kernel;      // the same with kernel stacks
  Attempt perf_host;        // cpu-clock of everything on one CPU
  Attempt perf_ring;        // a ring of 512 KiB on the first
  Attempt perf_stack_dump;  // registers and 32 KiB of stack with each sample
  Attempt cycles;           // hardware
  Attempt precise_cycles;   // hardware, without skid
  Attempt tracepoint;       // sched:sched_switch
  Attempt bpf_map;
  Attempt bpf_program;  // of the kind that samples
  Attempt bpf_ring;     // BPF ring buffer
  Attempt bpf_stats;    // run-time statistics
  Attempt btf;
  Attempt kernel_symbols;
  Attempt memory;        // of a process of the same user that is no child of ours
  Attempt other_users;   // /proc/PID/maps of a process of another user; ESRCH: there is none
  Attempt map_files;     // files that were deleted or replaced
  size_t perf_maps = 0;  // processes that write /tmp/perf-PID.map
};

Probes run_probes();

// "kernel.perf_event_paranoid = 2"; for texts.
std::string sysctl_text(const std::string& name, const std::optional<int64_t>& value);

}  // namespace atys::linux
