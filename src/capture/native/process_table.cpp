// SPDX-License-Identifier: Apache-2.0
#include "capture/native/process_table.h"

#include <algorithm>

namespace atys::capture::native {

namespace {
// A process whose first thread ended may have others that run on, so it is forgotten only when there are many.
constexpr size_t kManyProcesses = 2048;
constexpr uint64_t kBetweenLooksNs = 20'000'000;

// A program that begins loads its libraries within milliseconds: until they are known, stacks end in main.
uint64_t between_looks_ns(const Process& process) {
  constexpr uint64_t kFirstNs = 250'000;
  constexpr uint32_t kDoublings = 7;
  return std::min(kBetweenLooksNs, kFirstNs << std::min(process.mapped_again, kDoublings));
}
}  // namespace

Process& ProcessTable::entry(pid_t pid) {
  auto& process = processes_[pid];
  if (process == nullptr) {
    process = std::make_unique<Process>();
    process->pid = pid;
    process->space.clear();
  }
  return *process;
}

Process& ProcessTable::process(pid_t pid) {
  Process& process = entry(pid);
  if (process.is_mapped) return process;
  process.is_mapped = true;  // once, also when it is gone already
  const auto ranges = linux::read_maps(pid);
  if (!ranges.ok()) return process;
  for (const linux::MappedRange& range : *ranges)
    if (range.is_executable && !process.space.contains(range.start)) process.space.add(range);
  return process;
}

bool ProcessTable::read_again(Process& process, uint64_t now_ns, std::vector<linux::MappedRange>& added) {
  if (are_mappings_told_ || now_ns < process.mapped_at_ns + between_looks_ns(process)) return false;
  process.mapped_at_ns = now_ns;
  ++process.mapped_again;
  const auto ranges = linux::read_maps(process.pid);
  if (!ranges.ok()) return false;
  for (const linux::MappedRange& range : *ranges) {
    if (!range.is_executable || process.space.has(range)) continue;
    process.space.add(range);
    added.push_back(range);
  }
  if (!added.empty()) process.mapped_again = 0;  // more may come: it loads libraries, or is another program now
  return !added.empty();
}

Process* ProcessTable::find(pid_t pid) {
  const auto process = processes_.find(pid);
  return process == processes_.end() ? nullptr : process->second.get();
}

void ProcessTable::fork(const linux::ForkRecord& fork) {
  if (fork.pid <= 0 || fork.pid == fork.parent) return;  // the latter: a thread
  if (processes_.size() > kManyProcesses) forget_ended();
  Process& child = entry(fork.pid);
  child = Process{.pid = fork.pid};
  child.space.clear();
  const auto parent = processes_.find(fork.parent);
  if (parent == processes_.end()) return;
  child.is_by_frame_pointer = parent->second->is_by_frame_pointer;
  // A parent that was never looked at has nothing to hand on; the child is then read from /proc like any other.
  if (!parent->second->is_mapped) return;
  parent->second->space.for_each([&](const linux::MappedRange& range) { child.space.add(range); });
  child.is_mapped = true;
}

void ProcessTable::forget_ended() {
  std::erase_if(processes_, [](const auto& entry) { return entry.second->is_ended; });
}

// A process that our pid namespace does not have is 0, or -1.
void ProcessTable::apply(const linux::PerfRecord& record) {
  if (const auto* map = std::get_if<linux::MapRecord>(&record.body)) {
    if (map->pid > 0 && map->range.is_executable) entry(map->pid).space.add(map->range);
  } else if (const auto* comm = std::get_if<linux::CommRecord>(&record.body)) {
    if (comm->pid <= 0 || !comm->is_exec) return;
    Process& process = entry(comm->pid);
    process.space.clear();
    process.ranges.clear();
    process.is_mapped = are_mappings_told_;  // everything from here on is told
    process.mapped_at_ns = process.loaded = process.mapped_again = 0;
    process.has_mode = false;
    process.language = {};
    process.context = {};
  } else if (const auto* forked = std::get_if<linux::ForkRecord>(&record.body)) {
    fork(*forked);
  } else if (const auto* ended = std::get_if<linux::ExitRecord>(&record.body)) {
    const auto process = processes_.find(ended->pid);
    if (ended->pid == ended->tid && process != processes_.end()) process->second->is_ended = true;
  }
}

}  // namespace atys::capture::native
