// SPDX-License-Identifier: Apache-2.0
// What a controller answers over HTTP, address by address: the API, and what Prometheus wants. docs/guide/fleet.md lists
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/message.h"
#include "present/web/gate.h"
#include "verbs/controller.h"

namespace atys::present::web {

class Api {
 public:
  // Both outlive it.
  Api(verbs::RunningController& controller, const Gate& gate) : controller_(controller), gate_(gate) {}

  // Answers a request that was let in, with what its address names ("the-task" of /api/v1/tasks/the-task).
  using Handler = void (Api::*)(const net::Request& request, const std::string& name, net::Response& response) const;
  struct Route {
    const char* method;
    const char* path;  // as match_path() takes it
    Role needs;
    Handler handler;
  };
  struct Found {
    const Route& route;
    std::string name;
  };
  // Nothing: there is nothing at this address.
  static std::optional<Found> find(const net::RequestHead& head);

 private:
  using Request = net::Request;
  using Response = net::Response;
  static const std::vector<Route>& routes();

  void metrics(const Request&, const std::string&, Response& response) const;
  void discovery(const Request&, const std::string&, Response& response) const;
  void services(const Request&, const std::string&, Response& response) const;
  void profile(const Request& request, const std::string&, Response& response) const;
  void top(const Request& request, const std::string&, Response& response) const;
  void series(const Request& request, const std::string&, Response& response) const;
  void nodes(const Request&, const std::string&, Response& response) const;
  void forget_node(const Request& request, const std::string& name, Response& response) const;
  void tasks(const Request&, const std::string&, Response& response) const;
  void task(const Request&, const std::string& name, Response& response) const;
  void apply_task(const Request& request, const std::string& name, Response& response) const;
  void stop_task(const Request& request, const std::string& name, Response& response) const;
  void delete_task(const Request& request, const std::string& name, Response& response) const;

  verbs::RunningController& controller_;
  const Gate& gate_;
};

}  // namespace atys::present::web
