// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/node_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/secret_file.h"
#include "base/token.h"
#include "base/utf8.h"

namespace atys::fleet {

namespace {

constexpr size_t kMostFileBytes = size_t{64} << 20;

void write_patterns(JsonWriter& json, const char* name, const std::vector<std::string>& patterns) {
  json.key(name).begin_array();
  for (const std::string& pattern : patterns) json.value(pattern);
  json.end_array();
}

std::vector<std::string> patterns_of(const Json& object, const char* name) {
  std::vector<std::string> patterns;
  for (const Json& pattern : object.at(name)) patterns.push_back(from_utf8(pattern.get<std::string>()));
  return patterns;
}

}  // namespace

Result<std::unique_ptr<NodeTokens>> NodeTokens::open(std::string path, Access access) {
  auto tokens = std::unique_ptr<NodeTokens>(new NodeTokens(std::move(path), std::move(access)));
  TRY(tokens->load());
  return tokens;
}

Result<> NodeTokens::load() {
  const Result<std::string> text = read_secret(path_, kMostFileBytes);
  if (!text.ok() && text.error().code == ErrorCode::NotFound) return {};
  if (!text.ok()) return text.error();
  const Json all = TRY(parse_json(*text));
  const auto nodes = nodes_.lock();
  try {
    for (const Json& one : all) {
      Node node{one.at("hash"), one.at("joined_by"), one.at("joined_ns"), {}};
      node.scope.services = patterns_of(one, "services");
      node.scope.windows_per_minute = one.at("windows_per_minute");
      node.scope.bytes_per_minute = one.at("bytes_per_minute");
      const std::string name = from_utf8(one.at("node").get<std::string>());
      access_.let_node_in(node.hash, name, node.scope);
      nodes->insert_or_assign(name, std::move(node));
    }
  } catch (const Json::exception& error) {
    return fail(ErrorCode::InvalidInput, path_ + " is damaged: " + error.what(),
                "put a copy in its place, or remove it: then every node joins again");
  }
  return {};
}

Result<> NodeTokens::save(const Nodes& nodes) const {
  JsonWriter json;
  json.begin_array();
  for (const auto& [name, node] : nodes) {
    json.begin_object().field("node", name).field("hash", node.hash).field("joined_by", node.joined_by);
    json.field("joined_ns", node.joined_ns);
    write_patterns(json, "services", node.scope.services);
    json.field("windows_per_minute", node.scope.windows_per_minute);
    json.field("bytes_per_minute", node.scope.bytes_per_minute).end_object();
  }
  json.end_array();
  return write_secret(path_, json.text() + "\n");
}

Result<std::string> NodeTokens::join(const Identity& by, const std::string& node, int64_t now_ns) {
  const auto nodes = nodes_.lock();
  if (!by.scope.has_node(node))
    return fail(ErrorCode::PermissionDenied, "this token lets no node join that is called " + node,
                "see nodes= in the file of --tokens");
  if (nodes->contains(node))
    return fail(ErrorCode::PermissionDenied, "a node called " + node + " has joined already",
                "if it has lost its token, an admin lets it join again: atys nodes --forget " + node);
  const auto joined =
      static_cast<uint64_t>(std::ranges::count_if(*nodes, [&](const auto& one) { return one.second.joined_by == by.key; }));
  const uint64_t most = by.scope.most_nodes > 0 ? by.scope.most_nodes : kMostByToken;
  if (joined >= most || nodes->size() >= kMostNodes)
    return fail(ErrorCode::PermissionDenied, fmt::format("{} nodes have joined by this token already", joined),
                "the operator can allow more: max-nodes= in the file of --tokens");
  const std::string token = TRY(random_token());
  Node entry{token_hash(token), by.key, now_ns, by.scope};
  Nodes all = *nodes;
  all.insert_or_assign(node, entry);
  TRY(save(all));
  *nodes = std::move(all);
  access_.let_node_in(entry.hash, node, entry.scope);
  return token;
}

Result<> NodeTokens::forget(const std::string& node) {
  const auto nodes = nodes_.lock();
  if (!nodes->contains(node)) return fail(ErrorCode::NotFound, "no node called " + node + " has joined");
  Nodes all = *nodes;
  all.erase(node);
  TRY(save(all));
  *nodes = std::move(all);
  access_.forget_node(node);
  return {};
}

}  // namespace atys::fleet
