// SPDX-License-Identifier: Apache-2.0
// What Atys and its library inside a program tell each other: one piece of memory that both have mapped, and a signal that
// says which request in it is meant. Included by both sides; the library has no C++ runtime, so there are numbers only. What
// the other side wrote is checked: the program may write anything there.
#pragma once

#include <stdint.h>

#include "capture/native/walker_records.h"

namespace atys::preload {

constexpr uint64_t kMagic = 0x31302d7379746175;
constexpr uint32_t kProcesses = 256;
constexpr uint32_t kWalkers = 256;
constexpr uint32_t kRequests = 64;
constexpr uint32_t kStarts = 32;
constexpr uint32_t kStackBytes = 65536;
constexpr uint32_t kMostWalked = ATYS_MAX_WALKED;

// In the environment of a program until the library has read it.
constexpr char kSharedVariable[] = "ATYS_SHARED_MEMORY=";
constexpr char kPreloadVariable[] = "LD_PRELOAD=";
// An attribute of files whose programs run with more rights than who starts them.
constexpr char kCapabilitiesOfFile[] = "security.capability";

constexpr char kLibraryName[] = "atys-library";
constexpr char kLibraryPath[] = "/memfd:atys-library";
constexpr char kMemoryName[] = "atys-samples";
constexpr char kMemoryPath[] = "/memfd:atys-samples";  // as lists of mappings have it

// A process with the library in it, written by the library.
struct Process {
  uint32_t pid;        // as it knows itself; 0: free, which Atys makes it when the process is over
  uint32_t life;       // which program it runs: another number after each exec
  uint32_t signal;     // that it listens to; 0: it is not to be sent any now
  uint32_t sent;       // by Atys, before it sends
  uint32_t handled;    // signals of Atys that came
  uint32_t restarted;  // system calls that were made again because the signal had interrupted them
  uint32_t left;       // that could not be
  uint32_t reserved;
};

enum Stage : uint32_t { kFree, kAsked, kTaken, kDone };

struct Registers {
  uint64_t pc, sp, fp, lr, bx;
};

// One look at one thread: Atys asks, the signal handler of that thread answers.
struct Request {
  uint32_t stage;
  uint32_t walker;       // position in `walkers`; kWalkers: there is no interpreter
  uint64_t state;        // of the interpreter, where it was the last time; 0: not known
  uint32_t stack_bytes;  // to copy, at most

  uint32_t copied;  // of the stack
  uint32_t walked;  // frames of the interpreter
  uint32_t walk_flags;
  uint64_t time_ns;   // CLOCK_MONOTONIC
  uint64_t cpu_ns;    // that the thread has used so far
  uint64_t spent_ns;  // on answering
  uint64_t switches;  // how often it has left a CPU so far
  uint64_t loaded;    // a number that changes with the libraries that are loaded
  Registers registers;
  atys_walked frames[kMostWalked];
  alignas(64) unsigned char stack[kStackBytes];
};

struct Shared {
  uint64_t magic;
  uint32_t is_over;  // nobody asks any more: programs that begin now need no library
  uint32_t lives;    // handed out so far
  Process processes[kProcesses];
  atys_walker walkers[kWalkers];
  Request requests[kRequests];
  // Not asked for: what programs have run before our library was there, exec and the loader. `state` is the process.
  Request starts[kStarts];
};

}  // namespace atys::preload
