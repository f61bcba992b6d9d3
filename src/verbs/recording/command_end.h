// SPDX-License-Identifier: Apache-2.0
// What becomes of a command whose recording ended before it did.
#pragma once

#include <string>

#include "capture/recording.h"

namespace atys::verbs {

enum class CommandEnd {
  None,      // there is none, or it ended by itself
  GoesOn,    // the recording ended first
  Stopped,   // we ended it
  NotEnded,  // it was told to end, and it, or something that it started, goes on
};
const char* to_string(CommandEnd end);  // "", "goes on", "stopped", "not ended"

struct LeftCommand {
  CommandEnd end = CommandEnd::None;
  pid_t pid = 0;         // of a command that goes on, or else of what it started and does
  int exit_status = -1;  // of one that has ended
  std::string note;      // for people; empty: nothing to tell
};

// Where it still runs: leaves it alone, or tells it and all it started to end (SIGTERM), and waits for a while.
LeftCommand leave_command(capture::Recording& recording, bool stop);

}  // namespace atys::verbs
