// SPDX-License-Identifier: Apache-2.0
#include "base/access.h"

#include "base/token.h"

namespace atys {

const char* to_string(Role role) {
  switch (role) {
    case Role::Read: return "read";
    case Role::Capture: return "capture";
    case Role::Admin: return "admin";
  }
  return "?";
}

Access::Access(const std::string& admin_token) {
  if (!admin_token.empty()) let_in(admin_token, Role::Admin);
}

void Access::let_in(std::string token, Role role) { known_.push_back({std::move(token), role}); }

std::optional<Role> Access::role_of(std::string_view authorization) const {
  if (!asks_for_token()) return Role::Admin;
  std::optional<Role> found;  // all are compared: how long it takes says nothing of which it was
  for (const Known& known : known_)
    if (is_bearer(authorization, known.token)) found = known.role;
  return found;
}

}  // namespace atys
