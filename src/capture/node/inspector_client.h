// SPDX-License-Identifier: Apache-2.0
// Speaks the V8 inspector's protocol (JSON over WebSocket) with one process. One session; others may have theirs. When the
// connection ends V8 ends whatever the session began, so a profiler that dies leaves no profiling behind.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "capture/node/loopback_stream.h"
#include "capture/node/websocket.h"

namespace atys::capture::node {

// Where an inspector listens.
struct InspectorAddress {
  pid_t pid = 0;  // in whose network namespace
  uint16_t port = 0;
  bool is_ipv6 = false;

  std::string host() const;  // as the Host field of HTTP has it
};

// The path of the process's session, from what it says about itself under /json/list.
Result<std::string> read_session_path(const InspectorAddress& address, Deadline deadline);
// Of that list: the path of the first session of a node process.
Result<std::string> parse_session_path(std::string_view list);

class InspectorClient {
 public:
  static Result<InspectorClient> connect(const InspectorAddress& address, const std::string& path, Deadline deadline);

  // Waits for the answer; events that come meanwhile are kept. Fails where the inspector answers with an error.
  Result<Json> call(std::string_view method, const Json& params, Deadline deadline);
  // The same in a worker thread of the process, through the session that NodeWorker.attachedToWorker named.
  Result<Json> call_worker(const std::string& worker_session, std::string_view method, const Json& params,
                           Deadline deadline);

  // Says it, and leaves the answer to whoever reads next, who passes it over.
  Result<> post(std::string_view method, const Json& params, Deadline deadline) { return send(method, params, deadline); }

  // For a call that ends the connection itself: says it, says that we are done, and returns when the other side has closed
  // or at the deadline. Node.js holds its main thread until we have closed too, so that comes first.
  static void say_last(InspectorClient client, std::string_view method, const Json& params, Deadline deadline);

  // Those that have come since the last call, oldest first.
  std::vector<Json> take_events();
  // Keeps the events that are there by now, without waiting for any. Between calls they come when fd() is readable; what
  // came with the answer of a call does not show there.
  Result<> look_for_events();
  bool has_event(std::string_view method) const;
  int fd() const { return stream_.fd(); }
  uint16_t local_port() const { return stream_.local_port(); }

 private:
  explicit InspectorClient(LoopbackStream stream) : stream_(std::move(stream)) {}
  Result<> send(std::string_view method, const Json& params, Deadline deadline);
  Result<> write_message(const Json& message, Deadline deadline);
  Result<Json> read_message(Deadline deadline);
  Result<> answer_control(const WebSocketMessage& message, Deadline deadline);
  void keep_event(Json event);

  LoopbackStream stream_;
  WebSocketReader reader_;
  int64_t last_id_ = 0;
  std::vector<Json> events_;
};

// What Runtime.evaluate takes.
Json evaluation_of(std::string_view expression);

// A member of a JSON object that may be anything; null, empty or 0 where it is missing or of another type.
const Json& member(const Json& object, const char* name);
std::string text_member(const Json& object, const char* name);
int64_t number_member(const Json& object, const char* name);

}  // namespace atys::capture::node
