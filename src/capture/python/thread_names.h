// SPDX-License-Identifier: Apache-2.0
// What a Python program calls its threads: the names in threading._active. CPython tells them to the kernel since 3.14 only,
// and there the first 15 characters.
#pragma once

#include <sys/types.h>

#include <functional>
#include <unordered_map>

#include "capture/python/dictionaries.h"
#include "capture/python/interpreter.h"

namespace atys::capture::python {

struct NumberedThread {
  pid_t tid = 0;  // ours
  PythonThread thread;
};

class ThreadNames {
 public:
  static constexpr size_t kLongestName = 256;  // bytes; what is longer is cut

  ThreadNames(linux::MemoryReader& memory, const Interpreter& interpreter)
      : interpreter_(interpreter), dictionaries_(memory, interpreter.layout) {}

  // Empty: it has none, as far as we know. Looks into the process when the thread is new, and now and then for threads that
  // had no name or may have got another; names of threads that ended are kept.
  const std::string& name_of(pid_t tid, uint64_t now_ns, const std::function<std::vector<NumberedThread>()>& list);

 private:
  void look(const std::vector<NumberedThread>& threads, bool is_again, uint64_t now_ns);
  std::vector<uint64_t> interpreters();
  uint64_t active_of(uint64_t interpreter, uint64_t now_ns);
  std::string name_in(uint64_t thread_object);

  const Interpreter& interpreter_;
  Dictionaries dictionaries_;
  uint64_t looked_at_ns_ = 0;
  uint64_t searched_at_ns_ = 0;
  std::unordered_map<uint64_t, uint64_t> active_;  // by interpreter; where threading._active was last
  std::unordered_map<pid_t, std::string> names_;
};

}  // namespace atys::capture::python
