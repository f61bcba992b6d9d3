// SPDX-License-Identifier: Apache-2.0
// Tries what capture may need: opens an event, loads a program, reads memory, and takes it back at once. What documentation
// and capabilities promise and what a kernel, a sandbox or a virtual machine allows are two things.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "linux/host.h"
#include "linux/refusal.h"
#include "linux/rightless_probe.h"

namespace atys::linux {

// Everything that was tried on this machine, and what explains it.
struct Probes {
  Host host;
  Surroundings around;
  std::string capabilities;                 // effective, with commas; "none"
  std::map<SystemCall, int> nonsense = {};  // what each call answers to it; none: the kernel does, as it should
  std::string program;                      // our own executable, for setcap

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
  Attempt memory;        // of a process of the same user that is no child of ours, by process_vm_readv
  Attempt memory_file;   // the same by /proc/PID/mem
  Attempt child_memory;  // of a child of ours, by either
  Attempt stop;          // a child of ours, by ptrace: its registers are read and it goes on
  Attempt signal;        // to a thread of a child of ours, with a value
  Attempt preload;       // a file in memory is mapped to be executed
  Attempt other_users;   // /proc/PID/maps of a process of another user; ESRCH: there is none
  Attempt map_files;     // files that were deleted or replaced
  size_t perf_maps = 0;  // processes with one that is good (perf_map.h)
};

Probes run_probes();

// "kernel.perf_event_paranoid = 2"; for texts.
std::string sysctl_text(const std::string& name, const std::optional<int64_t>& value);

}  // namespace atys::linux
