// SPDX-License-Identifier: Apache-2.0
// Who may come in to a controller's web server, and as whom: HttpGuard for requests, with what is put down of those that are
// refused. From any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "net/message.h"
#include "present/http_guard.h"
#include "verbs/controller.h"

namespace atys::present::web {

class Gate {
 public:
  // `controller` outlives it: its log is told of what somebody with a token was not allowed.
  Gate(verbs::RunningController& controller, HttpGuard guard) : controller_(controller), guard_(std::move(guard)) {}

  // Nothing: it may come in.
  std::optional<net::Response> refusal(const net::RequestHead& head, Role needs);
  // The same for what everybody may see.
  std::optional<net::Response> refusal_of_place(const net::RequestHead& head) const;

  verbs::Caller caller_of(const net::RequestHead& head) const;
  const Access& access() const { return guard_.access; }
  uint64_t refused_tokens() const { return refused_tokens_; }

 private:
  verbs::RunningController& controller_;
  const HttpGuard guard_;
  std::atomic<uint64_t> refused_tokens_ = 0;
};

}  // namespace atys::present::web
