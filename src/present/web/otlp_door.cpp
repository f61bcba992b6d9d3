// SPDX-License-Identifier: Apache-2.0
#include "present/web/otlp_door.h"

#include <memory>

#include "net/packing.h"
#include "present/web/http_status.h"
#include "present/web/json_response.h"

namespace atys::present::web {

namespace {

constexpr const char* kProtobufType = "application/x-protobuf";
constexpr size_t kMostMessageBytes = size_t{64} << 20;

Error too_large() { return fail(ErrorCode::ResourceExhausted, "a message of more than 64 MiB", "send less at once"); }

net::Response otlp_refusal(const Error& error, bool is_json) {
  net::Response response{
      .status = status_of(error), .type = is_json ? kJsonType : kProtobufType, .body = otlp_status(error, is_json)};
  if (error.code == ErrorCode::Unavailable) response.headers.emplace_back("Retry-After", "5");
  return response;
}

bool is_json_type(const net::RequestHead& head) { return head.value("content-type").starts_with(kJsonType); }

// What is wrong with a message, as far as its head tells.
std::optional<Error> check_head(const net::RequestHead& head) {
  const std::string type = head.value("content-type");
  if (!is_json_type(head) && !type.starts_with(kProtobufType) && !type.starts_with("application/protobuf"))
    return fail(ErrorCode::Unsupported, "Content-Type is neither application/x-protobuf nor application/json");
  if (head.content_length.value_or(0) > kMostMessageBytes) return too_large();
  return std::nullopt;
}

}  // namespace

// What a body that grows holds of the controller's memory, until its request ends.
class OtlpDoor::AdmittedBody {
 public:
  explicit AdmittedBody(verbs::Admission& door) : door_(door) {}
  Result<> grow(size_t bytes) {
    if (bytes > kMostMessageBytes) return too_large();
    return door_.extend(ticket_, bytes);
  }
  // What is unpacked is held as well, and so admitted as what was sent is.
  Result<> unpack(net::Request& request) {
    TRY(net::unpack(request, kMostMessageBytes));
    return grow(request.body.size());
  }

 private:
  verbs::Admission& door_;
  verbs::Admission::Ticket ticket_;
};

net::Decision OtlpDoor::decide(const net::RequestHead& head) {
  if (auto no = gate_.refusal(head, Role::Capture)) return net::Decision::refuse(std::move(*no));
  const bool is_json = is_json_type(head);
  net::Decision decision{.is_known = gate_.access().asks_for_token()};
  if (const auto error = check_head(head)) {
    decision.answer = otlp_refusal(*error, is_json);
    return decision;
  }
  const auto admitted = std::make_shared<AdmittedBody>(controller_.door());  // shared: functions are copied
  decision.grow = [admitted, is_json](size_t bytes) -> std::optional<net::Response> {
    const Result<> fits = admitted->grow(bytes);
    return fits.ok() ? std::nullopt : std::optional(otlp_refusal(fits.error(), is_json));
  };
  decision.work = [this, admitted](net::Request& request) { return receive(request, *admitted); };
  return decision;
}

net::Response OtlpDoor::receive(net::Request& request, AdmittedBody& admitted) {
  const bool is_json = is_json_type(request.head);
  if (const auto whole = admitted.unpack(request); !whole.ok()) return otlp_refusal(whole.error(), is_json);
  const auto from = gate_.access().identify(request.head.value("authorization"), request.head.peer.certificate_name);
  if (!from) return otlp_refusal(fail(ErrorCode::PermissionDenied, "the token was taken back"), is_json);
  const auto answer =
      controller_.receive(request.body, is_json ? verbs::OtlpEncoding::Json : verbs::OtlpEncoding::Protobuf, *from);
  if (!answer.ok()) return otlp_refusal(answer.error(), is_json);
  return {.type = is_json ? kJsonType : kProtobufType, .body = is_json ? encode_json(*answer) : encode(*answer)};
}

}  // namespace atys::present::web
