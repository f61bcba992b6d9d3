// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/sender_rights.h"

#include "fleet/controller/node_registry.h"

namespace atys::fleet {

namespace {

Result<> may_be(const std::string& node, const Identity& from, const Access& access) {
  if (from.role == Role::Admin || from.role == Role::Controller) return {};
  if (!from.node.empty() && node != from.node)
    return fail(ErrorCode::PermissionDenied, "this is the node " + from.node + ", not " + node,
                "a node sends as the name that it has joined by: see --node");
  if (from.node.empty() && access.is_node(node))
    return fail(ErrorCode::PermissionDenied, "the node " + node + " has a token of its own, and this is not it",
                "give the agent --join-token-file, or have it forgotten: atys nodes --forget " + node);
  if (from.node.empty() && !from.scope.has_node(node))
    return fail(ErrorCode::PermissionDenied, "this token may not send as the node " + node,
                "see nodes= in the file of --tokens");
  return {};
}

Result<> may_send(store::Window& window, const Identity& from, const Access& access) {
  if (window.node.empty()) window.node = from.node;
  if (!window.node.empty()) TRY(may_be(window.node, from, access));
  if (from.role != Role::Admin && !from.scope.has_service(window.service))
    return fail(ErrorCode::PermissionDenied, "this token may not send the service " + window.service,
                "see services= in the file of --tokens");
  return {};
}

}  // namespace

Result<> may_report(const AgentReport& report, const Identity& from, const Access& access) {
  if (claims_to_be_controller(report) && !Access::may(from.role, Role::Controller))
    return fail(ErrorCode::PermissionDenied, "this token is not one for controllers",
                "give a controller below a token of the role controller: --upstream-token-file there, --tokens here");
  return may_be(report.node, from, access);
}

NotTheirs keep_what_may_be_sent(Received& received, const Identity& from, const Access& access) {
  NotTheirs refused;
  if (from.role == Role::Admin) return refused;
  size_t kept = 0;
  for (size_t i = 0; i < received.windows.size(); ++i) {
    if (const Result<> may = may_send(received.windows[i], from, access); !may.ok()) {
      refused.profiles += received.profiles[i];
      if (refused.why.empty()) refused.why = may.error().message + "; " + may.error().hint;
      continue;
    }
    if (kept != i) {
      received.windows[kept] = std::move(received.windows[i]);
      received.profiles[kept] = received.profiles[i];
    }
    ++kept;
  }
  received.windows.resize(kept);
  received.profiles.resize(kept);
  return refused;
}

}  // namespace atys::fleet
