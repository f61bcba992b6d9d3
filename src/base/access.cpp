// SPDX-License-Identifier: Apache-2.0
#include "base/access.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/token.h"

namespace atys {

namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr size_t kKeyDigits = 12;  // of a hash: tells tokens apart, and nobody anything of them

bool fits(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(patterns, [&](const std::string& one) { return ::fnmatch(one.c_str(), text.c_str(), 0) == 0; });
}

}  // namespace

const char* to_string(Role role) {
  switch (role) {
    case Role::Read: return "read";
    case Role::Capture: return "capture";
    case Role::Admin: return "admin";
    case Role::Join: return "join";
    case Role::Controller: return "controller";
  }
  return "?";
}

std::optional<Role> role_named(std::string_view name) {
  for (const Role role : {Role::Read, Role::Capture, Role::Admin, Role::Join, Role::Controller})
    if (name == to_string(role)) return role;
  return std::nullopt;
}

bool Scope::has_service(const std::string& service) const { return fits(services, service); }
bool Scope::has_node(const std::string& node) const { return fits(nodes, node); }

Access::Access(const std::string& admin_token) : Access() {
  if (!admin_token.empty()) let_in(admin_token, Role::Admin);
}

void Access::let_in(const std::string& token, Role role, const Scope& scope) {
  const auto book = book_->lock();
  book->asks = true;
  book->credentials.push_back({.hash = token_hash(token), .role = role, .scope = scope});
}

void Access::replace(std::vector<Credential> credentials) {
  const auto book = book_->lock();
  book->asks = true;
  book->credentials = std::move(credentials);
}

void Access::let_node_in(std::string hash, std::string node, const Scope& scope) {
  forget_node(node);
  const auto book = book_->lock();
  book->hashes[node] = hash;
  book->nodes[std::move(hash)] = {std::move(node), scope};
}

void Access::forget_node(const std::string& node) {
  const auto book = book_->lock();
  const auto found = book->hashes.find(node);
  if (found == book->hashes.end()) return;
  book->nodes.erase(found->second);
  book->hashes.erase(found);
}

bool Access::is_node(const std::string& node) const { return book_->lock()->hashes.contains(node); }

// Tokens are looked for by their hash: how long that takes says nothing of them.
std::optional<Identity> Access::identify(std::string_view authorization, const std::string& certificate_name) const {
  const auto book = book_->lock();
  if (!book->asks) return Identity{};
  if (authorization.starts_with(kBearer)) {
    const std::string hash = token_hash(authorization.substr(kBearer.size()));
    for (const Credential& one : book->credentials)
      if (!one.is_certificate && one.hash == hash)
        return Identity{one.role, "", std::string(to_string(one.role)) + " " + hash.substr(0, kKeyDigits), one.scope};
    if (const auto found = book->nodes.find(hash); found != book->nodes.end())
      return Identity{Role::Capture, found->second.name, "node " + found->second.name, found->second.scope};
  }
  if (certificate_name.empty()) return std::nullopt;
  for (const Credential& one : book->credentials)
    if (one.is_certificate && ::fnmatch(one.hash.c_str(), certificate_name.c_str(), 0) == 0)
      return Identity{one.role, certificate_name, "certificate " + certificate_name, one.scope};
  return std::nullopt;
}

std::optional<Role> Access::role_of(std::string_view authorization) const {
  const auto identity = identify(authorization);
  return identity ? std::optional(identity->role) : std::nullopt;
}

}  // namespace atys
