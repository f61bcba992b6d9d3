// SPDX-License-Identifier: Apache-2.0
// The parts of the library that know of each other. It is loaded into programs that Atys starts where the Linux kernel lets
// nobody look at them from outside (docs/decisions/0023-without-rights.md). It must not be noticed: no thread, no file, no
// word, no allocation, no lock; a signal that interrupts nothing.
#pragma once

#include "capture/preload/library/system.h"
#include "capture/preload/shared_memory.h"

namespace atys::preload {

// Not C++ objects: nothing is constructed, nothing destroyed.
struct Library {
  Shared* shared;          // null: Atys is not there, and we do nothing
  Process* process;        // null: there was no room for it
  uint32_t pid;            // of it: a child that shares our memory until it executes something has another
  int signal;              // that we listen to
  SignalSet of_program;    // signals that the program handles: not to be taken
  KernelAction pretended;  // what the program believes to be set for our signal
  const char* path;        // of the library
  const char* shared_path;
};
extern Library library;

// What the thread believes to be blocked of our signal. In memory that is there from the start: reading it calls nobody.
extern thread_local bool is_believed_blocked __attribute__((tls_model("initial-exec")));

constexpr int kFirstSignal = SIGURG;  // ignored unless somebody listens: harmless wherever it may arrive
constexpr int kLastSignal = 64;
constexpr int kLowestSignal = 60;

// handler.cpp
void listen_to(int signal);
void tell_start();  // what it took to come here
// signals.cpp: makes way for the program, which wants to handle that signal itself.
void give_away(int signal);
// The same for good: the program is about to forbid itself what our handler does.
void stop_listening();
// shells.cpp: in a child, where other threads of the program are not.
void forget_shells();
// symbols.cpp: what is given to the program for a name that we stand in front of; null: there is none.
void* next_of(const char* name);

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(next_of(name));
}

// symbols.cpp: a number that changes with what is loaded.
class OwnMemory;
uint64_t loaded_number(OwnMemory& memory);
void remember_files();

// No signal comes until resume(): none is under way any more, unless some thread has not run for a long time.
void pause_signals();
void resume_signals();

}  // namespace atys::preload
