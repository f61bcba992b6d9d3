// SPDX-License-Identifier: Apache-2.0
// Which profiling kernel fits a process, and why. Runtimes are told by what the process has mapped and by the symbols and
// sections of those files, never by a name alone. Only reads; a target is not slowed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "linux/namespaces.h"
#include "linux/process.h"
#include "symbolize/elf_file.h"

namespace atys::capture {

// A language's machine inside a process.
struct DetectedRuntime {
  std::string name;      // "Python"
  std::string version;   // empty: not cheap to tell
  std::string evidence;  // "/usr/lib/libpython3.11.so.1.0 has section .PyRuntime"
  std::string path;      // the file that it is in, as the process sees it
  std::string kernel;    // the profiling kernel that knows it
  std::string shows;     // what a capture shows of it
  std::string limits;    // what it does not; empty: nothing
  bool is_native_only = false;
};

enum class PerfMap { None, Present, Refused };

struct Detection {
  linux::ProcessInfo process;
  linux::ForeignNamespaces foreign;
  std::vector<DetectedRuntime> runtimes;  // empty: compiled code only
  std::string kernel;                     // the profiling kernels that a capture uses: "native", "python", "python, java"
  std::string why;
  std::string build_id;
  bool is_readable = false;  // we could look into its executable and its mappings; else the rest is guesswork and left out
  bool is_stripped = false;
  bool has_debug_info = false;
  std::string debug_file;  // names a separate debug file (.gnu_debuglink); empty: none
  PerfMap perf_map = PerfMap::None;
  std::string perf_map_note;  // its path, or why it is refused
  std::vector<std::string> notes;

  bool has_perf_map() const { return perf_map == PerfMap::Present; }
};

Result<Detection> detect(pid_t pid);

// Only which runtimes are there: what a recording asks of each of its processes. Symbols that are not exported are not
// looked at, as large programs have millions.
Result<std::vector<DetectedRuntime>> detect_runtimes(pid_t pid);
// Whether a library of that name may hold a runtime.
bool is_runtime_file(std::string_view path);

// The runtimes that one file shows. `path` is for the evidence; its base name counts only together with symbols.
enum class Look { Quick, Thorough };
std::vector<DetectedRuntime> runtimes_in(const symbolize::ElfFile& file, const std::string& path,
                                         Look look = Look::Thorough);

}  // namespace atys::capture
