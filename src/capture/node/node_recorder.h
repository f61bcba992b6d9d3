// SPDX-License-Identifier: Apache-2.0
// Lets V8 profile the isolates of a Node.js process, its main thread and its worker threads, through its inspector.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/node/cpu_profile.h"
#include "capture/node/inspector_client.h"
#include "capture/node/inspector_door.h"
#include "capture/own_recorder.h"

namespace atys::capture::node {

struct NodeRecording {
  KindName kind = KindName::Cpu;
  double hz = 99;
};

class NodeRecorder final : public OwnRecorder {
 public:
  NodeRecorder(NodeProcess process, NodeRecording recording) : process_(std::move(process)), recording_(recording) {}
  ~NodeRecorder() override;

  Result<> start() override;
  Result<Profile> take(bool is_last) override;
  std::vector<pid_t> covered_threads() const override;

 private:
  // A thread with an isolate of its own.
  struct Isolate {
    std::string session;  // of a worker; empty: the main thread
    V8Thread thread;
  };

  Result<Json> call(const Isolate& isolate, std::string_view method, const Json& params);
  Result<> connect();
  Result<> open_session(Deadline deadline);
  void mark_idle();
  Result<> begin(const Isolate& isolate);
  Result<> take_from(const Isolate& isolate, bool is_last, Profile& profile);
  void take_up_workers();
  Result<V8Thread> thread_of(const std::string& worker_session);
  Result<> close();

  NodeProcess process_;
  NodeRecording recording_;
  std::optional<InspectorDoor> door_;
  std::optional<InspectorClient> client_;
  std::vector<Isolate> isolates_;
  std::set<pid_t> covered_;   // by what was taken last
  int64_t node_version_ = 0;  // the major one
  bool has_idle_hook_ = false;
};

}  // namespace atys::capture::node
