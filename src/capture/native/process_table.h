// SPDX-License-Identifier: Apache-2.0
// The processes of a recording and what each has mapped, kept up to date by the record of what they do.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/native/address_space.h"
#include "capture/walking/stack_reader.h"
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
  bool is_mapped = false;     // its mappings are known: from /proc, or because we saw it begin
  uint64_t loaded = 0;        // as samples tell it, when its mappings were read
  uint64_t mapped_at_ns = 0;  // when they were read again, where nobody tells of them
  uint32_t mapped_again = 0;  // how often
  bool has_mode = false;      // it was decided how to take its stacks
  bool is_by_frame_pointer =
      false;  // that is how the source takes them: what it was told goes on after an exec and in a child
  bool is_ended = false;
  bool is_of_target = false;  // records come of all processes of the host
  // All its mappings, for finding the ends of stacks; read again when a stack is in none of them.
  std::vector<linux::MappedRange> ranges;
  Language language;
  ContextState context;
};

class ProcessTable {
 public:
  // `are_mappings_told`: by records, of processes that begin while we watch.
  explicit ProcessTable(bool are_mappings_told = true) : are_mappings_told_(are_mappings_told) {}
  // Reads the mappings of a process that began before we did; costs one look at /proc.
  Process& process(pid_t pid);
  Process* find(pid_t pid);  // null: nothing is known of it
  void apply(const linux::PerfRecord& record);
  // Where nobody tells of mappings: what is new among them, by a look at /proc. False: nothing is, or it is not time yet.
  bool read_again(Process& process, uint64_t now_ns, std::vector<linux::MappedRange>& added);
  size_t size() const { return processes_.size(); }

 private:
  Process& entry(pid_t pid);
  void fork(const linux::ForkRecord& fork);
  void forget_ended();

  bool are_mappings_told_;
  std::unordered_map<pid_t, std::unique_ptr<Process>> processes_;
};

}  // namespace atys::capture::native
