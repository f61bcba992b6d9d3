// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/transport/http_transport.h"

#include <httplib.h>

#include "base/clock.h"
#include "base/token.h"
#include "present/http_listen.h"
#include "present/mcp/protocol/era.h"
#include "present/mcp/transport/in_flight.h"
#include "present/mcp/transport/sessions.h"

namespace atys::present::mcp {

namespace {

constexpr const char* kPath = "/mcp";
constexpr const char* kJsonType = "application/json";
constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr size_t kThreads = 64;  // one for each connection; a call keeps its own as long as it lasts
constexpr uint64_t kKeepAliveNs = 5'000'000'000;

std::optional<std::string> header_of(const httplib::Request& request, const char* name) {
  if (!request.has_header(name)) return std::nullopt;
  return request.get_header_value(name);
}

void set_json(httplib::Response& response, int status, const Json& body) {
  response.status = status;
  response.set_content(to_line(body), kJsonType);
}

class HttpSession {
 public:
  HttpSession(const Server& server, Performer& performer, const HttpGuard& guard)
      : server_(server), performer_(performer), guard_(guard) {}

  // False: it was refused, and the response says so.
  bool admit(const httplib::Request& request, httplib::Response& response) const;
  void post(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& read);
  void end_session(const httplib::Request& request, httplib::Response& response);

 private:
  void act_on(Outcome outcome, const httplib::Request& request, httplib::Response& response, const std::string& session);
  void work(Work work, const httplib::Request& request, httplib::Response& response, const std::string& session);
  bool stream(const Work& work, const std::string& session, const CancelFlag& flag, httplib::DataSink& sink);

  const Server& server_;
  Performer& performer_;
  const HttpGuard& guard_;
  InFlight in_flight_;
  Sessions sessions_;
  std::atomic<uint64_t> anonymous_ = 0;
};

bool HttpSession::admit(const httplib::Request& request, httplib::Response& response) const {
  const auto origin = header_of(request, "Origin");
  const auto authorization = header_of(request, "Authorization");
  const auto refusal =
      guard_.check(request.get_header_value("Host"), origin ? &*origin : nullptr, authorization ? &*authorization : nullptr);
  if (!refusal) return true;
  if (refusal->status == 401) response.set_header("WWW-Authenticate", "Bearer realm=\"atys\"");
  set_json(response, refusal->status, make_error({}, {kInvalidRequest, refusal->why, {}}));
  return false;
}

void HttpSession::post(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& read) {
  if (!admit(request, response)) return;
  // Counted here, because the library bounds only bodies that announce their length.
  std::string body;
  const bool is_whole = read([&](const char* bytes, size_t size) {
    body.append(bytes, size);
    return body.size() <= kMostMessageBytes;
  });
  if (!is_whole) return set_json(response, 413, make_error({}, {kInvalidRequest, "too large, or cut off", {}}));
  const auto parsed = parse_message(body);
  if (const auto* bad = std::get_if<BadMessage>(&parsed)) return act_on(server_.refuse(*bad), request, response, {});
  Channel channel{.http = HttpHeaders{header_of(request, "MCP-Protocol-Version"), header_of(request, "Mcp-Method"),
                                      header_of(request, "Mcp-Name")}};
  const std::string session = header_of(request, kSessionHeader).value_or("");
  if (!session.empty()) {
    const auto version = sessions_.version_of(session);
    if (!version) {
      const Message* message = std::get_if<Message>(&parsed);
      return set_json(response, 404, make_error(message->id, {kInvalidRequest, "no such session: call initialize", {}}));
    }
    channel.legacy_version = *version;
  }
  act_on(server_.handle(std::get<Message>(parsed), channel), request, response, session);
}

void HttpSession::end_session(const httplib::Request& request, httplib::Response& response) {
  if (!admit(request, response)) return;
  response.status = sessions_.remove(header_of(request, kSessionHeader).value_or("")) ? 200 : 404;
}

void HttpSession::act_on(Outcome outcome, const httplib::Request& request, httplib::Response& response,
                         const std::string& session) {
  switch (outcome.kind) {
    case Outcome::Kind::Nothing: response.status = 202; break;
    case Outcome::Kind::Cancel:
      // Ids of clients without a session are not theirs alone.
      if (!session.empty()) in_flight_.cancel(session, outcome.cancelled_id);
      response.status = 202;
      break;
    case Outcome::Kind::Answer:
      if (!outcome.agreed_version.empty()) {
        if (const auto id = random_token(); id.ok()) {
          sessions_.add(*id, outcome.agreed_version);
          response.set_header(kSessionHeader, *id);
        }
      }
      set_json(response, outcome.http_status, outcome.answer);
      break;
    case Outcome::Kind::Work: work(std::move(outcome.work), request, response, session); break;
  }
}

void HttpSession::work(Work work, const httplib::Request& request, httplib::Response& response, const std::string& session) {
  const std::string owner = session.empty() ? "request " + std::to_string(++anonymous_) : session;
  const CancelFlag flag = in_flight_.add(owner, work.id);
  if (flag == nullptr)
    return set_json(response, 400, make_error(work.id, {kInvalidRequest, "a request with this id is under way", {}}));
  const bool takes_events = request.get_header_value("Accept").find("text/event-stream") != std::string::npos;
  if (work.method == "tools/call" && takes_events) {
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Accel-Buffering", "no");
    const Json id = work.id;
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, owner, flag, moved = std::move(work)](size_t, httplib::DataSink& sink) {
          return stream(moved, owner, flag, sink);
        },
        // Also when the response could not be begun.
        [this, owner, id](bool) { in_flight_.remove(owner, id); });
    return;
  }
  WorkObserver observer;
  observer.is_cancelled = [&] { return flag->load(); };
  const Json done = performer_.perform(work, observer);
  in_flight_.remove(owner, work.id);
  set_json(response, 200, server_.finish(work, done));
}

// Runs on the connection's own thread, as does everything that it is told meanwhile.
bool HttpSession::stream(const Work& work, const std::string& session, const CancelFlag& flag, httplib::DataSink& sink) {
  const auto write = [&](const std::string& text) { return sink.is_writable() && sink.write(text.data(), text.size()); };
  const auto send = [&](const Json& message) { return write("event: message\ndata: " + to_line(message) + "\n\n"); };
  // In the modern era a client cancels by closing the stream; in the legacy era it says so, and may have lost its
  // connection.
  const bool closing_cancels = is_modern(work.version);
  bool is_open = write(": working\n\n");
  uint64_t last_ns = clock_ns(CLOCK_MONOTONIC);
  WorkObserver observer;
  observer.is_cancelled = [&] {
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (is_open && now - last_ns > kKeepAliveNs) {
      last_ns = now;
      is_open = write(": still working\n\n");
    }
    is_open = is_open && sink.is_writable();
    return flag->load() || (closing_cancels && !is_open);
  };
  if (!work.progress_token.is_null())
    observer.on_progress = [&](const Progress& progress) {
      last_ns = clock_ns(CLOCK_MONOTONIC);
      if (is_open) is_open = send(server_.progress_of(work, progress));
    };
  const Json done = performer_.perform(work, observer);
  in_flight_.remove(session, work.id);
  if (is_open && !flag->load()) is_open = send(server_.finish(work, done));
  sink.done();
  return is_open;
}

}  // namespace

Result<> serve_http(const Server& server, Performer& performer, const HttpOptions& options) {
  HttpSession session(server, performer, options.guard);
  httplib::Server http;
  http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  http.set_payload_max_length(kMostMessageBytes);
  http.set_tcp_nodelay(true);
  // A connection for each request: a client that reuses one in the moment in which we give it up loses its call, and
  // one that is kept keeps a thread.
  http.set_keep_alive_max_count(1);
  http.Post(kPath, [&](const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& read) {
    session.post(request, response, read);
  });
  http.Delete(kPath,
              [&](const httplib::Request& request, httplib::Response& response) { session.end_session(request, response); });
  http.Get(kPath, [&](const httplib::Request& request, httplib::Response& response) {
    if (!session.admit(request, response)) return;
    response.status = 405;  // there is nothing that we would say unasked
    response.set_header("Allow", "POST, DELETE");
  });
  options.on_listening(TRY(bind_alone(http, options.address, options.port)));
  if (!http.listen_after_bind()) return fail(ErrorCode::Unavailable, "the server stopped listening");
  return {};
}

}  // namespace atys::present::mcp
