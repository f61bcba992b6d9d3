// SPDX-License-Identifier: Apache-2.0
// Processes and threads as /proc shows them. Everything here is a snapshot of something that may be gone a moment later:
// whoever keeps a pid keeps its start time too, and asks `is_alive`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // R, S, D, Z …
  std::string comm;
  std::vector<std::string> command_line;  // empty: a thread of the kernel, a zombie
  std::string executable;                 // as its own root sees it, without " (deleted)"; empty: none, or not ours to see
  bool is_executable_deleted = false;     // the name is gone or belongs to another file
  uint32_t uid = 0;                       // effective
  uint32_t gid = 0;
  pid_t pid_in_namespace = 0;     // what the process itself calls its pid
  std::string cgroup;             // path below its hierarchy, "/a/b"
  uint64_t start_time_ticks = 0;  // since boot; with the pid it names one process for ever
  uint64_t cpu_time_ns = 0;       // user and system, all threads, those that ended too
};

// Of /proc/PID/stat.
struct ProcessStat {
  std::string comm;
  char state = '?';
  pid_t parent = 0;
  uint64_t cpu_ticks = 0;  // utime + stime
  uint64_t start_time_ticks = 0;
};

// The name may hold anything, also ") R 1 2": the last bracket ends it.
Result<ProcessStat> parse_stat(std::string_view text);
// Of /proc/PID/cgroup: the v2 path where the process is in one that is not the root, else the cpu controller's, else the
// first that is not the root.
std::string parse_cgroup(std::string_view text);

// Fails with NotFound where there is none, with InvalidInput where `pid` is a thread other than the first.
Result<ProcessInfo> read_process(pid_t pid);

// Every process that we can see, in rising order.
std::vector<pid_t> list_processes();
// The number that was given out last, to a process or a thread: as long as it stays, nobody new is there. 0: not known.
pid_t newest_number();
// Threads of the machine that run or could; 0: not known.
size_t running_count();

// Read again until nothing changes, so that a thread that began meanwhile is in it (a thread of a process that never
// stops making threads may still be missed).
Result<std::vector<pid_t>> list_threads(pid_t pid);
Result<std::string> thread_name(pid_t pid, pid_t tid);
Result<char> thread_state(pid_t pid, pid_t tid);  // as ProcessInfo has it
// The process that a thread belongs to; of a process, itself.
Result<pid_t> process_of_thread(pid_t tid);

// Who started it; fails where there is no process of that number, also where it is a thread's.
Result<pid_t> parent_of(pid_t pid);

// CPU time of all threads since the process began, in nanoseconds.
Result<uint64_t> cpu_time_ns(pid_t pid);

// When it began, in ticks since boot: with its number it names one process for ever.
Result<uint64_t> process_start_ticks(pid_t pid);

// Unix time of that moment, rounded down by a second or two: what the process wrote itself is not older.
time_t unix_time_of_start(uint64_t start_time_ticks);

// Whether the process that began at that time still runs; false for a zombie and for a reused pid.
bool is_alive(pid_t pid, uint64_t start_time_ticks);

// "NAME=VALUE", as the process was started with.
Result<std::vector<std::string>> read_environment(pid_t pid);

}  // namespace atys::linux
