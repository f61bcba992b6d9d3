// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/transport/http_transport.h"

#include <unistd.h>

#include <atomic>

#include "base/clock.h"
#include "base/token.h"
#include "net/packing.h"
#include "net/server.h"
#include "present/mcp/protocol/era.h"
#include "present/mcp/transport/in_flight.h"
#include "present/mcp/transport/sessions.h"

namespace atys::present::mcp {

namespace {

constexpr const char* kPath = "/mcp";
constexpr const char* kJsonType = "application/json";
constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr const char* kSessionKey = "mcp-session-id";
// A call keeps a thread as long as it lasts.
constexpr net::Limits kLimits{
    .most_connections = 256, .most_strangers = 128, .most_strangers_per_address = 64, .threads = 64, .most_waiting = 64};
constexpr uint64_t kKeepAliveNs = 5'000'000'000;

using net::Decision;
using net::RequestHead;
using net::Response;

std::optional<std::string> header_of(const RequestHead& head, const char* name) {
  const std::string* found = head.find(name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Response json_response(int status, const Json& body) { return {.status = status, .type = kJsonType, .body = to_line(body)}; }

class HttpSession {
 public:
  HttpSession(const Server& server, Performer& performer, const HttpGuard& guard)
      : server_(server), performer_(performer), guard_(guard) {}

  Decision decide(const RequestHead& head);

 private:
  std::optional<Response> refusal(const RequestHead& head) const;
  Response post(net::Request& request);
  Response end_session(const RequestHead& head);
  Response act_on(Outcome outcome, const RequestHead& head, const std::string& session);
  Response work(Work work, const RequestHead& head, const std::string& session);
  void stream(const Work& work, const std::string& session, const CancelFlag& flag, net::Stream& sink);

  const Server& server_;
  Performer& performer_;
  const HttpGuard& guard_;
  InFlight in_flight_;
  Sessions sessions_;
  std::atomic<uint64_t> anonymous_ = 0;
};

std::optional<Response> HttpSession::refusal(const RequestHead& head) const {
  const auto refusal = guard_.check(head.value("host"), head.find("origin"), head.find("authorization"));
  if (!refusal) return std::nullopt;
  Response response = json_response(refusal->status, make_error({}, {kInvalidRequest, refusal->why, {}}));
  if (refusal->status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"atys\"");
  return response;
}

Decision HttpSession::decide(const RequestHead& head) {
  if (head.path != kPath) return Decision::refuse({.status = 404});
  if (auto no = refusal(head)) return Decision::refuse(std::move(*no));
  if (head.method == "DELETE") return Decision::refuse(end_session(head));
  // There is nothing that we would say unasked.
  if (head.method != "POST") return Decision::refuse({.status = 405, .headers = {{"Allow", "POST, DELETE"}}});
  return {.is_known = guard_.access.asks_for_token(),
          .grow = [](size_t bytes) -> std::optional<Response> {
            if (bytes <= kMostMessageBytes) return std::nullopt;
            return json_response(413, make_error({}, {kInvalidRequest, "too large, or cut off", {}}));
          },
          .work = [this](net::Request& request) { return post(request); }};
}

Response HttpSession::post(net::Request& request) {
  if (const auto whole = net::unpack(request, kMostMessageBytes); !whole.ok()) {
    const int status = whole.error().code == ErrorCode::ResourceExhausted ? 413
                       : whole.error().code == ErrorCode::Unsupported     ? 415
                                                                          : 400;
    return json_response(status, make_error({}, {kInvalidRequest, whole.error().message, {}}));
  }
  const RequestHead& head = request.head;
  const auto parsed = parse_message(request.body);
  if (const auto* bad = std::get_if<BadMessage>(&parsed)) return act_on(server_.refuse(*bad), head, {});
  Channel channel{.http = HttpHeaders{header_of(head, "mcp-protocol-version"), header_of(head, "mcp-method"),
                                      header_of(head, "mcp-name")}};
  const std::string session = header_of(head, kSessionKey).value_or("");
  if (!session.empty()) {
    const auto version = sessions_.version_of(session);
    if (!version) {
      const Message* message = std::get_if<Message>(&parsed);
      return json_response(404, make_error(message->id, {kInvalidRequest, "no such session: call initialize", {}}));
    }
    channel.legacy_version = *version;
  }
  return act_on(server_.handle(std::get<Message>(parsed), channel), head, session);
}

Response HttpSession::end_session(const RequestHead& head) {
  return {.status = sessions_.remove(header_of(head, kSessionKey).value_or("")) ? 200 : 404};
}

Response HttpSession::act_on(Outcome outcome, const RequestHead& head, const std::string& session) {
  switch (outcome.kind) {
    case Outcome::Kind::Nothing: break;
    case Outcome::Kind::Cancel:
      // Ids of clients without a session are not theirs alone.
      if (!session.empty()) in_flight_.cancel(session, outcome.cancelled_id);
      break;
    case Outcome::Kind::Answer: {
      Response response = json_response(outcome.http_status, outcome.answer);
      if (outcome.agreed_version.empty()) return response;
      if (const auto id = random_token(); id.ok()) {
        sessions_.add(*id, outcome.agreed_version);
        response.headers.emplace_back(kSessionHeader, *id);
      }
      return response;
    }
    case Outcome::Kind::Work: return work(std::move(outcome.work), head, session);
  }
  return {.status = 202};
}

Response HttpSession::work(Work work, const RequestHead& head, const std::string& session) {
  const std::string owner = session.empty() ? "request " + std::to_string(++anonymous_) : session;
  const CancelFlag flag = in_flight_.add(owner, work.id);
  if (flag == nullptr)
    return json_response(400, make_error(work.id, {kInvalidRequest, "a request with this id is under way", {}}));
  const bool takes_events = head.value("accept").find("text/event-stream") != std::string::npos;
  if (work.method == "tools/call" && takes_events)
    return {.type = "text/event-stream",
            .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
            .stream = [this, owner, flag, moved = std::move(work)](net::Stream& sink) { stream(moved, owner, flag, sink); }};
  WorkObserver observer;
  observer.is_cancelled = [&] { return flag->load(); };
  const Json done = performer_.perform(work, observer);
  in_flight_.remove(owner, work.id);
  return json_response(200, server_.finish(work, done));
}

// Runs in the thread of the call, as does everything that it is told meanwhile.
void HttpSession::stream(const Work& work, const std::string& session, const CancelFlag& flag, net::Stream& sink) {
  const auto write = [&](const std::string& text) { return sink.write(text); };
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
    is_open = is_open && sink.is_open();
    return flag->load() || (closing_cancels && !is_open);
  };
  if (!work.progress_token.is_null())
    observer.on_progress = [&](const Progress& progress) {
      last_ns = clock_ns(CLOCK_MONOTONIC);
      if (is_open) is_open = send(server_.progress_of(work, progress));
    };
  const Json done = performer_.perform(work, observer);
  in_flight_.remove(session, work.id);
  if (is_open && !flag->load()) send(server_.finish(work, done));
}

}  // namespace

Result<> serve_http(const Server& server, Performer& performer, const HttpOptions& options) {
  HttpSession session(server, performer, options.guard);
  // A connection for each request: a client that reuses one in the moment in which we give it up loses its call.
  const auto http = TRY(
      net::Server::start({.address = options.address, .port = options.port, .keeps_connections = false, .limits = kLimits},
                         [&](const RequestHead& head) { return session.decide(head); }));
  options.on_listening(http->port());
  for (;;) ::pause();
}

}  // namespace atys::present::mcp
