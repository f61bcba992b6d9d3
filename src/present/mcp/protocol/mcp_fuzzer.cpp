// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string_view>

#include "present/mcp/arguments.h"
#include "present/mcp/protocol/http_rules.h"
#include "present/mcp/protocol/server.h"

using namespace atys;
using namespace atys::present::mcp;

// A message of anybody gets an answer that is a message itself, over stdio and over HTTP, before and after initialize. What
// is before the first newline is the headers.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const std::string header(text.substr(0, line == std::string_view::npos ? 0 : line));
  if (line != std::string_view::npos) text.remove_prefix(line + 1);

  static const Server server(Catalog{.name = "fuzz", .version = "1", .tools = Json::array({{{"name", "dig"}}})});
  static const Json schema = {
      {"type", "object"},
      {"properties",
       {{"n", {{"type", "integer"}, {"minimum", 1}}}, {"a", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
      {"required", Json::array({"n"})},
      {"additionalProperties", false}};
  const auto parsed = parse_message(text);
  const Channel channels[] = {{}, {.legacy_version = "2025-11-25"}, {.http = HttpHeaders{header, header, header}}};
  for (const Channel& channel : channels) {
    const auto* message = std::get_if<Message>(&parsed);
    const Outcome outcome =
        message != nullptr ? server.handle(*message, channel) : server.refuse(std::get<BadMessage>(parsed));
    if (outcome.kind == Outcome::Kind::Answer) {
      const std::string answer = to_line(outcome.answer);
      if (answer.find('\n') != std::string::npos || !parse_json(answer).ok()) std::abort();
    }
    if (outcome.kind == Outcome::Kind::Work) {
      (void)check_arguments(schema, outcome.work.params.value("arguments", Json::object())).ok();
      if (!server.finish(outcome.work, {{"result", Json::object()}}).contains("result")) std::abort();
    }
  }
  return 0;
}
