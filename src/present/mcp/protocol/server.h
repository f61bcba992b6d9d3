// SPDX-License-Identifier: Apache-2.0
// The protocol itself: a message in, what to do about it out. Holds no connection, no thread and no clock, so both eras
// and both transports can be tested without any.
#pragma once

#include <optional>
#include <string>

#include "present/mcp/protocol/message.h"
#include "present/mcp/protocol/work.h"

namespace atys::present::mcp {

// What a server offers. Lists are as the protocol wants them, in the order in which they are shown.
struct Catalog {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;
  Json tools = Json::array();
  Json prompts = Json::array();
  Json resource_templates = Json::array();
  Json required_capabilities = Json::object();  // by tool: what a client of the modern era has to have declared
};

// What the headers of an HTTP request say, as they were sent.
struct HttpHeaders {
  std::optional<std::string> version;  // MCP-Protocol-Version
  std::optional<std::string> method;   // Mcp-Method
  std::optional<std::string> name;     // Mcp-Name
};

// How a message came.
struct Channel {
  std::optional<HttpHeaders> http;  // none: stdio
  std::string legacy_version;       // that `initialize` agreed on; empty: it was not called
};

struct Outcome {
  enum class Kind { Nothing, Answer, Work, Cancel };
  Kind kind = Kind::Nothing;
  Json answer;
  int http_status = 200;
  Work work;
  Json cancelled_id;
  std::string agreed_version;  // by an `initialize`
};

class Server {
 public:
  explicit Server(Catalog catalog) : catalog_(std::move(catalog)) {}

  Outcome handle(const Message& message, const Channel& channel) const;
  Outcome refuse(const BadMessage& bad) const;
  // The answer to a request whose work is done.
  Json finish(const Work& work, Json done) const;
  Json progress_of(const Work& work, const Progress& progress) const;

 private:
  Outcome handle_request(const Message& message, const Channel& channel) const;
  Outcome initialize(const Message& message) const;
  Outcome answer(const Message& message, const std::string& version) const;
  std::optional<Json> look_up(const std::string& method, const std::string& version) const;
  Json tools_for(const std::string& version) const;
  Json capabilities(const std::string& version) const;
  Json server_info(const std::string& version) const;
  Json in_era(Json result, const std::string& method, const std::string& version) const;

  Catalog catalog_;
};

}  // namespace atys::present::mcp
