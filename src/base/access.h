// SPDX-License-Identifier: Apache-2.0
// Who may do what: a token for each role. Whoever administers may do everything; a node that records needs not read what
// others have recorded, and whoever reads needs not give orders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atys {

enum class Role {
  Read,     // asks for profiles and for the state of the fleet
  Capture,  // an agent: sends profiles, and is told its tasks
  Admin,    // changes tasks, and does what the others do
};
const char* to_string(Role role);

class Access {
 public:
  Access() = default;                               // nobody is asked for a token
  explicit Access(const std::string& admin_token);  // empty: likewise

  void let_in(std::string token, Role role);
  bool asks_for_token() const { return !known_.empty(); }
  // Of a header "Bearer TOKEN"; nothing: nobody has such a token. Where none is asked for everybody is an Admin.
  std::optional<Role> role_of(std::string_view authorization) const;

  static bool may(Role has, Role needs) { return has == Role::Admin || has == needs; }

 private:
  struct Known {
    std::string token;
    Role role;
  };
  std::vector<Known> known_;
};

}  // namespace atys
