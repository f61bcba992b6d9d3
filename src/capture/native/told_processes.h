// SPDX-License-Identifier: Apache-2.0
// What the sampler in the kernel is told of each process: whether it is recorded, and how. Where there is only one, it is in
// memory that the programs share with us, which they read faster than a map.
#pragma once

#include <sys/types.h>

#include <memory>

#include "capture/native/sampler_records.h"
#include "linux/bpf_object.h"

namespace atys::capture::native {

class ToldProcesses {
 public:
  virtual ~ToldProcesses() = default;

  virtual Result<> add(pid_t pid) = 0;
  // Of processes that are not known nothing can be told; what finds no room in a map is done without.
  virtual void set_mode(pid_t pid, uint32_t mode) = 0;
  virtual void set_code_range(pid_t pid, uint64_t begin, uint64_t end) = 0;
  virtual void set_walker(pid_t pid, const atys_walker* walker) = 0;
  virtual void set_context_place(pid_t pid, const atys_context_place* place) = 0;
};

struct ToldProcessesPlan {
  bool only_listed = true;
  bool with_children = false;
  pid_t only_process = 0;  // 0: there may be several
};

// `object` is loaded and outlives it.
Result<std::unique_ptr<ToldProcesses>> tell_processes(linux::BpfObject& object, const ToldProcessesPlan& plan);

}  // namespace atys::capture::native
