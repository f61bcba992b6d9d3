// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "capture/node/http_head.h"

namespace atys::capture::node {

namespace {

constexpr size_t kLongestHead = 16384;
constexpr size_t kLongestList = 1 << 20;
constexpr size_t kMostEvents = 10'000;
constexpr int kMostReads = 16;        // of 64 KiB in one go
constexpr uint64_t kControlMs = 100;  // to answer a ping

template <size_t size>
std::array<uint8_t, size> random_array() {
  std::array<uint8_t, size> bytes{};
  // Masks and keys only guard proxies against crafted text; there is none between us and the loopback interface.
  (void)fill_random(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// Reads until the head is whole; what came after it stays in `rest`.
Result<std::string> read_head(LoopbackStream& stream, std::string& rest, Deadline deadline) {
  size_t end = std::string::npos;
  while ((end = rest.find(kEndOfHead)) == std::string::npos) {
    if (rest.size() > kLongestHead) return fail(ErrorCode::InvalidInput, "what answers does not speak HTTP");
    TRY(stream.read_some(rest, deadline));
  }
  std::string head = rest.substr(0, end + 2);
  rest.erase(0, end + kEndOfHead.size());
  return head;
}

}  // namespace

const Json& member(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string text_member(const Json& object, const char* name) {
  const Json& found = member(object, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

int64_t number_member(const Json& object, const char* name) {
  const Json& found = member(object, name);
  if (found.is_number_unsigned()) {
    const auto number = found.get<uint64_t>();
    return number > INT64_MAX ? INT64_MAX : static_cast<int64_t>(number);
  }
  if (found.is_number_integer()) return found.get<int64_t>();
  // Times come as floating point numbers in some versions.
  if (!found.is_number_float()) return 0;
  const auto number = found.get<double>();
  return number > -9e18 && number < 9e18 ? static_cast<int64_t>(number) : 0;
}

std::string InspectorAddress::host() const { return fmt::format("{}:{}", is_ipv6 ? "[::1]" : "127.0.0.1", port); }

Result<std::string> read_session_path(const InspectorAddress& address, Deadline deadline) {
  LoopbackStream stream = TRY(LoopbackStream::connect(address.pid, address.port, address.is_ipv6, deadline));
  TRY(stream.write(fmt::format("GET /json/list HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", address.host()),
                   deadline));
  std::string body;
  const std::string text = TRY(read_head(stream, body, deadline));
  const HttpHead head = TRY(parse_http_head(text));
  if (head.status != 200)
    return fail(ErrorCode::Unavailable, fmt::format("the inspector answers with HTTP status {}", head.status));
  const size_t length = TRY(body_bytes(head, kLongestList));
  while (body.size() < length) TRY(stream.read_some(body, deadline));
  return parse_session_path(std::string_view(body).substr(0, length));
}

Result<std::string> parse_session_path(std::string_view list) {
  const Json targets = TRY(parse_json(list));
  constexpr std::string_view kScheme = "ws://";
  for (const Json& target : targets.is_array() ? targets : Json::array()) {
    const std::string url = text_member(target, "webSocketDebuggerUrl");
    const size_t slash = url.find('/', kScheme.size());
    if (text_member(target, "type") != "node" || !url.starts_with(kScheme) || slash == std::string::npos) continue;
    const std::string path = url.substr(slash);
    // It goes into the head of a request.
    if (path.find_first_of(" \r\n") == std::string::npos) return path;
  }
  return fail(ErrorCode::Unavailable, "the inspector offers no session",
              "another front end may be attached to it: close that, then try again");
}

Result<InspectorClient> InspectorClient::connect(const InspectorAddress& address, const std::string& path,
                                                 Deadline deadline) {
  InspectorClient client(TRY(LoopbackStream::connect(address.pid, address.port, address.is_ipv6, deadline)));
  const auto bytes = random_array<16>();
  const std::string key(bytes.begin(), bytes.end());
  TRY(client.stream_.write(upgrade_request(address.host(), path, key), deadline));
  std::string rest;
  const std::string head = TRY(read_head(client.stream_, rest, deadline));
  TRY(check_upgrade(head, key));
  TRY(client.reader_.feed(rest));
  return client;
}

Result<> InspectorClient::write_message(const Json& message, Deadline deadline) {
  // What is not UTF-8 cannot come from us; replaced rather than thrown about.
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  return stream_.write(encode_frame(Opcode::Text, text, random_array<4>()), deadline);
}

Result<> InspectorClient::answer_control(const WebSocketMessage& message, Deadline deadline) {
  if (message.opcode == Opcode::Ping)
    return stream_.write(encode_frame(Opcode::Pong, message.payload, random_array<4>()), deadline);
  if (message.opcode == Opcode::Close) return fail(ErrorCode::Unavailable, "the inspector closed the session");
  return {};
}

Result<Json> InspectorClient::read_message(Deadline deadline) {
  while (true) {
    while (auto message = reader_.next()) {
      if (message->opcode == Opcode::Text) return parse_json(message->payload);
      TRY(answer_control(*message, deadline));
    }
    if (deadline.is_over()) return fail(ErrorCode::Unavailable, "the inspector does not answer in time");
    std::string bytes;
    TRY(stream_.read_some(bytes, deadline));
    TRY(reader_.feed(bytes));
  }
}

void InspectorClient::keep_event(Json event) {
  if (events_.size() < kMostEvents) events_.push_back(std::move(event));
}

namespace {

Result<Json> result_of(Json& answer, std::string_view method) {
  if (const Json& error = member(answer, "error"); !error.is_null())
    return fail(ErrorCode::Unsupported, fmt::format("the inspector refuses {}: {}", method, text_member(error, "message")));
  return Json(std::move(answer["result"]));
}

}  // namespace

Json evaluation_of(std::string_view expression) {
  return {{"expression", expression}, {"includeCommandLineAPI", true}, {"silent", true}, {"returnByValue", true}};
}

Result<Json> InspectorClient::call(std::string_view method, const Json& params, Deadline deadline) {
  TRY(send(method, params, deadline));
  while (true) {
    Json answer = TRY(read_message(deadline));
    if (!answer.is_object()) return fail(ErrorCode::InvalidInput, "the inspector sends something that is no answer");
    if (number_member(answer, "id") == last_id_) return result_of(answer, method);
    if (answer.contains("method")) keep_event(std::move(answer));
  }
}

Result<Json> InspectorClient::call_worker(const std::string& worker_session, std::string_view method, const Json& params,
                                          Deadline deadline) {
  const int64_t id = last_id_ + 1;  // of this call; the outer one has the next
  ++last_id_;
  const Json inner{{"id", id}, {"method", method}, {"params", params}};
  TRY(call("NodeWorker.sendMessageToWorker", {{"sessionId", worker_session}, {"message", inner.dump()}}, deadline));
  std::vector<Json> waiting = take_events();
  while (true) {
    for (Json& event : waiting) {
      const Json& about = member(event, "params");
      if (text_member(event, "method") == "NodeWorker.receivedMessageFromWorker" &&
          text_member(about, "sessionId") == worker_session) {
        Json answer = TRY(parse_json(text_member(about, "message")));
        if (answer.is_object() && number_member(answer, "id") == id) return result_of(answer, method);
        continue;
      }
      if (text_member(event, "method") == "NodeWorker.detachedFromWorker" &&
          text_member(about, "sessionId") == worker_session)
        return fail(ErrorCode::NotFound, "the worker thread has ended");
      keep_event(std::move(event));
    }
    waiting.clear();
    waiting.push_back(TRY(read_message(deadline)));
  }
}

Result<> InspectorClient::send(std::string_view method, const Json& params, Deadline deadline) {
  return write_message({{"id", ++last_id_}, {"method", method}, {"params", params}}, deadline);
}

void InspectorClient::say_last(InspectorClient client, std::string_view method, const Json& params, Deadline deadline) {
  if (!client.send(method, params, deadline).ok()) return;
  client.stream_.end_writing();
  while (client.read_message(deadline).ok()) {
  }
}

std::vector<Json> InspectorClient::take_events() { return std::exchange(events_, {}); }

Result<> InspectorClient::look_for_events() {
  for (int reads = 0; reads < kMostReads; ++reads) {
    while (auto message = reader_.next()) {
      if (message->opcode != Opcode::Text) {
        TRY(answer_control(*message, Deadline::in_ms(kControlMs)));
        continue;
      }
      Json event = TRY(parse_json(message->payload));
      if (event.is_object() && event.contains("method")) keep_event(std::move(event));
    }
    std::string bytes;
    if (TRY(stream_.read_available(bytes)) == 0) return {};
    TRY(reader_.feed(bytes));
  }
  return {};
}

bool InspectorClient::has_event(std::string_view method) const {
  return std::ranges::any_of(events_, [&](const Json& event) { return text_member(event, "method") == method; });
}

}  // namespace atys::capture::node
