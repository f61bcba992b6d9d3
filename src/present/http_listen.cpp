// SPDX-License-Identifier: Apache-2.0
#include "present/http_listen.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <memory>

namespace atys::present {

Result<int> bind_alone(httplib::Server& server, const std::string& address, int port) {
  // Without the library's SO_REUSEPORT: another process is not to share our port, nor we one of another.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const int bound = port == 0 ? server.bind_to_any_port(address) : server.bind_to_port(address, port) ? port : -1;
  if (bound < 0)
    return fail(ErrorCode::Unavailable, fmt::format("cannot listen on {}:{}", address, port),
                "is the port in use? port 0 takes any that is free");
  return bound;
}

std::thread serve(httplib::Server& server) {
  const auto is_over = std::make_shared<std::atomic<bool>>(false);  // shared: the thread may outlive this function
  std::thread thread([&server, is_over] {
    server.listen_after_bind();
    *is_over = true;
  });
  while (!server.is_running() && !*is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return thread;
}

}  // namespace atys::present
