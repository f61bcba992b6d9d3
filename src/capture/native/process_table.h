// SPDX-License-Identifier: Apache-2.0
// The processes of a recording and what each has mapped, kept up to date by the record of what they do.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "capture/native/address_space.h"
#include "capture/stack_reader.h"
#include "linux/perf_records.h"

namespace atys::capture::native {

// An interpreter in a process.
struct Language {
  std::shared_ptr<StackReader> reader;   // null: none, as far as we know
  ModuleNumber module = kUnknownModule;  // that stands for its frames
  uint64_t look_at_ns = 0;               // when to look for one (again); kNever
  uint32_t looks = 0;
  uint64_t threads_known_at_ns = 0;
  // Of its threads, for those that stand still; listed again after a while.
  std::vector<std::pair<pid_t, uint64_t>> still_states;
  uint64_t still_states_at_ns = 0;
};
constexpr uint64_t kNever = UINT64_MAX;

// Where its threads say what they work on.
struct ContextState {
  bool is_found = false;
  bool is_go = false;
  std::vector<std::string> keys;
  uint64_t keys_at_ns = 0;  // not read again before
  uint64_t look_at_ns = 0;
  uint32_t looks = 0;
};

struct Process {
  pid_t pid = 0;
  AddressSpace space;
  bool is_mapped = false;  // its mappings are known: from /proc, or because we saw it begin
  bool has_mode = false;   // it was decided how to take its stacks
  bool is_ended = false;
  bool is_of_target = false;  // records come of all processes of the host
  // All its mappings, for finding the ends of stacks; read again when a stack is in none of them.
  std::vector<linux::MappedRange> ranges;
  Language language;
  ContextState context;
};

class ProcessTable {
 public:
  // Reads the mappings of a process that began before we did; costs one look at /proc.
  Process& process(pid_t pid);
  Process* find(pid_t pid);  // null: nothing is known of it
  void apply(const linux::PerfRecord& record);
  size_t size() const { return processes_.size(); }

 private:
  Process& entry(pid_t pid);
  void fork(const linux::ForkRecord& fork);
  void forget_ended();

  std::unordered_map<pid_t, std::unique_ptr<Process>> processes_;
};

}  // namespace atys::capture::native
