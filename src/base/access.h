// SPDX-License-Identifier: Apache-2.0
// Who may do what: a token for each role. Whoever administers may do everything; a node that records needs not read what
// others have recorded, and whoever reads needs not give orders. A token that many share says what its holder may do, not
// who that is: a node is known by a token of its own, which it gets by joining, or by the name in its certificate
// (docs/decisions/0028-who-is-who.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"

namespace atys {

enum class Role {
  Read,        // asks for profiles and for the state of the fleet
  Capture,     // an agent: sends profiles, and is told its tasks
  Admin,       // changes tasks, and does what the others do
  Join,        // gets a token of its own for a node, and may do nothing else
  Controller,  // a controller below: sends what its nodes have sent, and is told the tasks of all of them
};
const char* to_string(Role role);
std::optional<Role> role_named(std::string_view name);

// What a token may send. 0: as is usual for its role.
struct Scope {
  std::vector<std::string> services = {"*"};  // shell patterns
  std::vector<std::string> nodes = {"*"};     // likewise, of who may join, or be named
  uint64_t most_nodes = 0;                    // that may join by it
  uint64_t windows_per_minute = 0;
  uint64_t bytes_per_minute = 0;

  bool has_service(const std::string& service) const;
  bool has_node(const std::string& node) const;
};

// Who a call comes from.
struct Identity {
  Role role = Role::Admin;
  std::string node = {};  // whom it can only be; empty: it has no name of its own
  std::string key = {};   // under which its quotas are counted
  Scope scope = {};
};

// What is known of a token, which itself is not kept.
struct Credential {
  std::string hash;  // token_hash(); of a certificate: the pattern of its name
  Role role = Role::Read;
  Scope scope = {};
  bool is_certificate = false;
};

// Copies are one and the same: what is changed by one is changed for every door, without a restart. Any thread.
class Access {
 public:
  Access() : book_(std::make_shared<Guarded<Book>>()) {}  // nobody is asked for a token
  explicit Access(const std::string& admin_token);        // empty: likewise

  void let_in(const std::string& token, Role role, const Scope& scope = {});
  // In the place of all that were let in before, but for nodes.
  void replace(std::vector<Credential> credentials);
  void let_node_in(std::string hash, std::string node, const Scope& scope);
  void forget_node(const std::string& node);
  bool is_node(const std::string& node) const;  // it has a token of its own

  // Once somebody was let in, for good: that the last token is taken back opens nothing.
  bool asks_for_token() const { return book_->lock()->asks; }
  // Of a header "Bearer TOKEN", and of the name in a certificate that was checked; nothing: nobody. Where no token is asked
  // for everybody is an Admin.
  std::optional<Identity> identify(std::string_view authorization, const std::string& certificate_name = {}) const;
  std::optional<Role> role_of(std::string_view authorization) const;

  static bool may(Role has, Role needs) {
    return has == Role::Admin || has == needs || (has == Role::Controller && needs == Role::Capture);
  }

 private:
  struct Node {
    std::string name;
    Scope scope;
  };
  struct Book {
    bool asks = false;
    std::vector<Credential> credentials;
    std::map<std::string, Node, std::less<>> nodes;  // by hash
    std::map<std::string, std::string> hashes;       // of nodes by name
  };
  // Shared by the copies, each of which is held by another door.
  std::shared_ptr<Guarded<Book>> book_;
};

}  // namespace atys
