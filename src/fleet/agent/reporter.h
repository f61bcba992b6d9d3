// SPDX-License-Identifier: Apache-2.0
// Reports to the controller and keeps what it orders, which outlives a restart. One thread reports; whoever wants to know
// how that goes asks from any other, under a lock that no network is waited for with.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fleet/agent/controller_clock.h"
#include "fleet/agent/order_book.h"
#include "fleet/controller_link.h"

namespace atys::fleet {

class Reporter {
 public:
  // `link` outlives it; `orders_path`: where orders are kept.
  Reporter(ControllerLink& link, std::string orders_path) : link_(link), orders_(std::move(orders_path)) {}

  struct Round {
    uint64_t again_after_ns = 0;
    std::optional<Orders> orders;  // nothing: there was no answer, and those before stand
    ClockReading before, after;    // of our clocks, around the answer
  };
  Round report(const AgentReport& own);

  struct State {
    bool is_connected = false;              // the last report was answered
    std::string trouble;                    // and what to do about it
    std::vector<TaskState> not_understood;  // orders, with the reason
  };
  State state() const;
  std::vector<Task> tasks() const;

 private:
  ControllerLink& link_;

  mutable std::mutex mutex_;  // of all below
  OrderBook orders_;
  bool is_connected_ = false;
  std::string trouble_;
  uint64_t retry_ns_ = 0;
};

}  // namespace atys::fleet
