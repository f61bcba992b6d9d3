// SPDX-License-Identifier: Apache-2.0
// What a recording has in or of other processes and cannot take back if it is killed: an inspector that it opened, a folder
// that it made. Each is noted in a file before it is made; the file is locked for as long as its maker lives, so that
// whoever starts next finds the notes of the dead, and has the kernel that made the thing undo it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace atys::capture {

// Says which process, for ever: numbers are used again, also after a boot.
struct TraceNote {
  std::string kernel;  // whose: a profiling kernel's name
  std::string what;    // the kernel's own word for the thing
  pid_t pid = 0;
  uint64_t start_time_ticks = 0;
  std::vector<std::string> details;  // the kernel's own

  bool operator==(const TraceNote&) const = default;
};

class Trace {
 public:
  Trace() = default;
  // Written and on its way to the disk when it returns; nothing is written where the folder's name is empty.
  static Result<Trace> leave(const std::string& folder, const TraceNote& note);

  Trace(Trace&&) noexcept = default;
  Trace& operator=(Trace&& other) noexcept;
  // What was not undone stays noted.
  ~Trace() = default;

  // The same thing, with other details. On failure the note before stands.
  Result<> change(const TraceNote& note);
  void undone();

 private:
  std::string path_;
  UniqueFd file_;  // locked
};

// Hands the notes of who has died to `undo`, each once, with whether the process is still there. It says whether the thing
// is gone now; else the note stays for the next time.
void mend_traces(const std::string& folder, const std::function<bool(const TraceNote&, bool is_alive)>& undo);

}  // namespace atys::capture
