// SPDX-License-Identifier: Apache-2.0
// One recording of async-profiler inside a Java machine: finds or brings the library, starts, dumps, stops. A recording of
// somebody else is not disturbed: there can be only one in a machine. A library stays in the machine once it is there (no
// machine can unload it) and is idle after the stop, so the one that is there is used again.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/java/agent_library.h"
#include "capture/java/attach_client.h"
#include "capture/java/private_folder.h"
#include "capture/traces.h"

namespace atys::capture::java {

// What the agent answered to a command, from the reply to `load`.
Result<> check_load(const AttachReply& reply);

// What a session that was killed has left: its folder, and a recording that goes on. Whether that is over now.
inline constexpr std::string_view kSession = "session of async-profiler";
bool undo_session(const TraceNote& note, bool is_alive);

class AgentSession {
 public:
  // Asks the machine which profilers it has; refuses if one of them records. `library` may be null: then one has to be
  // there.
  static Result<AgentSession> create(const JavaProcess& process, const AgentLibrary* library,
                                     const AttachClient::Limits& limits, const std::string& trace_folder = {});

  AgentSession(AgentSession&&) noexcept = default;
  AgentSession& operator=(AgentSession&&) = delete;
  ~AgentSession();  // stops what was started

  // `what` is the part of async-profiler's options that says which event and how often. It ends by itself after
  // `longest_s` seconds, for the case that we do not live to end it.
  Result<> start(std::string_view what, uint64_t longest_s);
  // Makes what was recorded so far readable.
  Result<> dump();
  Result<> stop();

  PrivateFolder& folder() { return *folder_; }
  bool is_recording() const { return is_recording_; }
  static constexpr const char* kRecording = "recording.jfr";

 private:
  AgentSession() = default;
  Result<> choose_agent(const JavaProcess& process, const AgentLibrary* library);
  Result<> look_at_loaded(const std::string& path);
  Result<std::string> place(const JavaProcess& process, const AgentLibrary& library);
  Result<> send(const std::string& path, const std::string& options);
  Result<std::string> ask(const std::string& path, const std::string& question);
  void let_go_of_log();

  Result<> note(const JavaProcess& process, const std::string& trace_folder);

  Trace trace_;
  std::unique_ptr<AttachClient> client_;
  std::unique_ptr<PrivateFolder> folder_;
  std::string agent_;  // the library, as the machine knows it
  bool is_recording_ = false;
  bool has_failed_to_stop_ = false;
  bool has_trace_ = false;
  pid_t pid_ = 0;
  uint64_t start_time_ticks_ = 0;
};

}  // namespace atys::capture::java
