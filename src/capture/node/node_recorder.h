// SPDX-License-Identifier: Apache-2.0
// Lets V8 profile the isolates of a Node.js process, its main thread and its worker threads, through its inspector.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/node/cpu_profile.h"
#include "capture/node/inspector_client.h"
#include "capture/node/inspector_door.h"
#include "capture/self_recording/own_recorder.h"

namespace atys::capture::node {

struct NodeRecording {
  const profile::KindRow* kind = &profile::default_kind();
  double hz = 99;
  // Other Node.js processes will be recorded as well, most likely, and want the port that this one opens its inspector on.
  bool has_company = true;
  std::string trace_folder = {};  // see capture/traces.h
};

class NodeRecorder final : public OwnRecorder {
 public:
  NodeRecorder(NodeProcess process, NodeRecording recording)
      : process_(std::move(process)), recording_(std::move(recording)), door_(process_, recording_.trace_folder) {}
  ~NodeRecorder() override;

  Result<> start() override;
  Result<Profile> take(bool is_last) override;
  void set_rate(double hz) override;
  std::vector<pid_t> covered_threads() const override;
  std::vector<pid_t> made_threads() const override { return {made_.begin(), made_.end()}; }
  // A process that is about to end says so and waits for us to go; others want its port.
  int wakeup_fd() const override { return is_watched_ && client_ ? wakeups_.get() : -1; }
  void on_wakeup() override;
  void end_by(std::chrono::steady_clock::time_point time) override {
    latest_ns_ = static_cast<uint64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count());
  }

 private:
  // A thread with an isolate of its own.
  struct Isolate {
    std::string session;  // of a worker; empty: the main thread
    V8Thread thread;
  };
  struct Taken {
    Profile profile;
    std::set<pid_t> covered;
  };

  Deadline within(uint64_t ms) const;  // and no later than we are to end
  Result<Json> call(const Isolate& isolate, std::string_view method, const Json& params);
  Result<> connect();
  Result<> open_door(Deadline deadline);
  void note_made_threads(const std::set<pid_t>& before);
  Result<> spare_workers(Deadline deadline);
  Result<> tell_the_end(Deadline deadline);
  Result<> move_away(Deadline deadline);
  void give_port_back();
  void watch();
  Result<> start_sampling();
  Result<> begin_all();
  Result<> open_session(Deadline deadline);
  Result<> begin(const Isolate& isolate);
  enum class Then { Stop, GoOn, BeginAnew };
  Result<> take_from(const Isolate& isolate, Then then, Profile& profile);
  Result<> take_each(Then then, Taken& into);
  Result<Taken> take_all(bool is_last);
  void look_for_end();
  void look_at_door();
  void let_end();
  void take_up_workers();
  Result<V8Thread> thread_of(const std::string& worker_session);
  Result<> close();

  NodeProcess process_;
  NodeRecording recording_;
  InspectorDoor door_;
  std::optional<InspectorClient> client_;
  std::optional<PortHolder> held_;  // the port that others want
  UniqueFd ticks_;                  // a timer, for the inspector's own deadline
  UniqueFd wakeups_;                // an epoll of all
  std::vector<pid_t> signalled_;    // its workers, if it became the primary of a cluster when it was opened
  bool has_spared_ = false;         // them
  std::vector<Isolate> isolates_;
  std::set<pid_t> made_;                    // threads of the inspector and of V8's sampler
  std::set<pid_t> covered_;                 // by what was taken last
  bool is_watched_ = false;                 // whether its events are looked at between calls
  std::optional<Deadline> end_by_;          // of all calls together, once the process waits for us in order to end
  std::optional<Result<Taken>> until_end_;  // what it recorded until then, for who asks next
  std::optional<Taken> kept_;               // at other rates, since the last take
  bool is_ending_ = false;                  // the process said so
  std::string why_over_ = "V8 is not sampling: the process has ended";
  std::atomic<uint64_t> latest_ns_ = UINT64_MAX;
};

}  // namespace atys::capture::node
