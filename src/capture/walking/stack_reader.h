// SPDX-License-Identifier: Apache-2.0
// Reads the stacks of an interpreter in one process. The sampler copies frames in the moment of the sample
// (walker_records.h); the reader knows what they mean. Everything that comes from the process is hostile: bounded, checked,
// may be torn.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/native/walker_records.h"
#include "capture/walking/code_copy.h"

namespace atys::capture {

struct AddressRange {
  uint64_t start = 0;
  uint64_t end = 0;

  bool contains(uint64_t address) const { return address >= start && address < end; }
};

// A function of the interpreter that is worth a frame of its own: its garbage collector, its lock.
struct Landmark {
  AddressRange range;
  uint32_t id = 0;  // of a frame, as `name` understands it
};

// Where in the process's memory the interpreter's own code lies.
struct InterpreterCode {
  std::vector<AddressRange> evaluator;  // the function that runs the language's code: stands for a group of its frames
  std::vector<AddressRange> own;  // everything else of the interpreter: of no interest beside the language's own frames
  std::vector<Landmark> landmarks;
};

// A frame of the language, by a number that `name` understands.
struct LanguageFrame {
  uint32_t id = 0;
  bool is_entry = false;  // called from native code: what is further out is on an older run of the evaluator
};

struct LanguageName {
  std::string function;
  std::string file;
  int64_t line = 0;  // 0: not known
  int64_t start_line = 0;
  std::string kind;  // of frame: "cpython"
};

class StackReader {
 public:
  virtual ~StackReader() = default;

  virtual const atys_walker& walker() const = 0;
  // Threads that run the language's code, as we number them, and where their state is. Called now and then.
  virtual std::vector<std::pair<pid_t, uint64_t>> thread_states() = 0;
  virtual const InterpreterCode& code() const = 0;
  // Makes sense of one walk, innermost first; what is said in `frames` is appended. False: it was torn, and is counted as
  // such.
  virtual bool read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) = 0;
  virtual LanguageName name(uint32_t id) const = 0;
  // Code that the samples to come are of, as it was when they were taken.
  virtual void learn(CodeCopy&) {}
  // Code that has lasted for a while, since the last call: the sampler spares itself a look at its texts.
  virtual std::vector<atys_lasting> take_lasting() { return {}; }
  // What the language calls a thread; empty: what the kernel calls it. Asked with every sample of a thread as long as it has
  // no name, and again, also when the thread or the process has ended, when the profile is made.
  virtual std::string thread_name(pid_t) { return {}; }
  // Every program has a thread of that name: what the kernel calls it says more.
  virtual bool is_plain_thread_name(std::string_view) const { return false; }
  // What only one thread at a time holds, and whether it did is a label of this name; empty: there is no such lock.
  virtual std::string_view lock_name() const { return {}; }
  // What a thread waits for, where the language knows better than the Linux kernel. `functions` are those inside of the
  // innermost one of the language, innermost first. Empty: it does not.
  virtual std::string_view wait_reason(std::span<const std::string_view> /*functions*/) const { return {}; }
};

}  // namespace atys::capture
