// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/renewed_link.h"

#include "base/guarded.h"
#include "base/secret_file.h"
#include "fleet/wire/bounds.h"

namespace atys::fleet {

namespace {

class RenewedLink final : public ControllerLink {
 public:
  RenewedLink(TokenSource source, LinkOpener open) : source_(std::move(source)), open_(std::move(open)) {}

  Result<Orders> report(const AgentReport& report) override {
    return tried([&](ControllerLink& link) { return link.report(report); });
  }
  Result<> send(const std::string& otlp) override {
    return tried([&](ControllerLink& link) { return link.send(otlp); });
  }

 private:
  // Shared with the calls that are under way when it is replaced.
  using Shared = std::shared_ptr<ControllerLink>;
  struct Current {
    std::string token;
    Shared link;
  };

  template <typename Call>
  auto tried(const Call& call) -> decltype(call(std::declval<ControllerLink&>())) {
    const Shared link = TRY(current());
    auto answer = call(*link);
    if (answer.ok() || answer.error().code != ErrorCode::PermissionDenied) return answer;
    const Shared renewed = TRY(renew(link));
    if (renewed == link) return answer;
    return call(*renewed);
  }

  Result<Shared> current() {
    const auto current = current_.lock();
    if (current->link == nullptr) TRY(take(*current, TRY(source_(false))));
    return current->link;
  }

  // The same where there is no other token.
  Result<Shared> renew(const Shared& refused) {
    const auto current = current_.lock();
    if (current->link != refused) return current->link;  // another thread was here first
    const std::string token = TRY(source_(true));
    if (token != current->token) TRY(take(*current, token));
    return current->link;
  }

  Result<> take(Current& current, const std::string& token) const {
    current.link = TRY(open_(token));
    current.token = token;
    return {};
  }

  const TokenSource source_;
  const LinkOpener open_;
  Guarded<Current> current_;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::unique_ptr<ControllerLink> open_renewed_link(TokenSource source, LinkOpener open) {
  return std::make_unique<RenewedLink>(std::move(source), std::move(open));
}

Result<std::string> node_token(const JoinPlan& plan, bool was_refused) {
  if (!was_refused) {
    const Result<std::string> kept = read_secret(plan.file, bounds::kToken.most_bytes);
    if (kept.ok()) return first_line(*kept);
    if (kept.error().code != ErrorCode::NotFound) return kept.error();
  }
  const auto client = TRY(GrpcClient::create(plan.controller));
  const Joined joined = TRY(decode_joined(TRY(client->call(kJoinMethod, encode(JoinRequest{plan.node})))));
  TRY(write_secret(plan.file, joined.token + "\n"));
  return joined.token;
}

}  // namespace atys::fleet
