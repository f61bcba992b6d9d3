// SPDX-License-Identifier: Apache-2.0
#include "linux/allowance.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/strings.h"

namespace atys::linux {

namespace {

using Names = std::vector<std::string>;

// "cap_perfmon" → "PERFMON"
std::string bare_name(const std::string& capability) {
  std::string name = capability.substr(std::strlen("cap_"));
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string list_of(const Names& capabilities, const std::string& before, const std::string& between) {
  return joined(capabilities, between, [&](const std::string& name) { return before + bare_name(name); });
}

bool can_gain(const Allowance& allowance, const Surroundings& around) {
  return std::ranges::all_of(allowance.capabilities, [&](const std::string& name) {
    return std::ranges::find(around.gainable, name) != around.gainable.end();
  });
}

// Engines make their filter by the capabilities that a container is given. One that refuses what we could have a capability
// for is another.
bool is_own_filter(const Allowance& allowance, const Surroundings& around) {
  return !allowance.filtered.empty() && can_gain(allowance, around);
}

// Docker and Kubernetes give capabilities to root alone; a user other than root has them from files at most.
bool has_to_be_root(const Allowance& allowance, const Surroundings& around) {
  return allowance.needs_capability && !allowance.capabilities.empty() && around.uid != 0;
}

bool has_to_leave_namespace(const Allowance& allowance, const Surroundings& around) {
  return allowance.needs_capability && !allowance.capabilities.empty() && around.features.in_user_namespace;
}

std::string for_docker(const Allowance& allowance, const Surroundings& around) {
  std::string line = "docker run";
  if (has_to_leave_namespace(allowance, around)) line += " --userns host";
  if (has_to_be_root(allowance, around)) line += " --user 0";
  for (const std::string& name : allowance.capabilities) line += " --cap-add " + bare_name(name);
  return line + (is_own_filter(allowance, around) ? " --security-opt seccomp=unconfined …" : " …");
}

// Its filter refuses perf_event_open to who has CAP_PERFMON alone.
std::string for_podman(const Allowance& allowance, const Surroundings& around) {
  std::string line = has_to_leave_namespace(allowance, around) ? "sudo podman run" : "podman run";
  if (!allowance.capabilities.empty()) line += " --cap-add " + list_of(allowance.capabilities, "", ",");
  return line + (allowance.filtered.empty() ? " …" : " --security-opt seccomp=unconfined …");
}

std::string for_kubernetes(const Allowance& allowance, const Surroundings& around) {
  std::string inside;
  const auto add_field = [&](const std::string& text) { add_to_list(inside, text); };
  if (has_to_be_root(allowance, around)) add_field("runAsUser: 0");
  if (!allowance.capabilities.empty()) add_field("capabilities: {add: [" + list_of(allowance.capabilities, "", ", ") + "]}");
  if (is_own_filter(allowance, around)) add_field("seccompProfile: {type: Unconfined}");
  return "securityContext: {" + inside + "}";
}

std::string for_systemd(const Allowance& allowance) {
  std::string lines;
  if (!allowance.capabilities.empty()) lines = "AmbientCapabilities=" + list_of(allowance.capabilities, "CAP_", " ");
  if (allowance.filtered.empty()) return lines;
  lines += lines.empty() ? "SystemCallFilter=" : "\nSystemCallFilter=";
  return lines + joined(allowance.filtered, " ", [](SystemCall call) { return to_string(call); });
}

// As one line: "AmbientCapabilities=… and SystemCallFilter=… in its unit".
std::string in_words(const StartLine& line) {
  std::string text = line.text;
  if (const size_t end = text.find('\n'); end != std::string::npos) text.replace(end, 1, " and ");
  if (line.starter == "systemd") return "say " + text + " in its unit";
  return line.starter == "kubernetes" ? "give its container " + text : "start it with " + text;
}

std::string how_to_allow(const Refusal& refusal, const Allowance& allowance, const Surroundings& around) {
  std::string text;
  const auto add_way = [&](const std::string& way) { add_to_list(text, way, ", or "); };
  if (!refusal.has(Cause::Filter) && !refusal.sysctl.empty()) add_way("sysctl -w " + refusal.sysctl);
  if (can_be_given_to_file(allowance, around)) add_way("setcap " + joined(allowance.capabilities, ",") + "=ep FILE");
  if (has_root_that(allowance, around))
    return "for more, run it as root" + (text.empty() ? text : ", who may also: " + text);
  if (refusal.has(Cause::LockedMemory)) return "for more: ulimit -l unlimited";
  if (allowance.capabilities.empty()) return text.empty() ? text : "for more, as root: " + text;
  add_way(in_words(start_line(allowance, around)));
  return "for more, " + text + " (elsewhere: atys doctor)";
}

}  // namespace

Allowance allowance_for(const Refusal& refusal, SystemCall call) {
  Allowance allowance{.capabilities = refusal.capabilities};
  if (refusal.has(Cause::Filter)) allowance.filtered.push_back(call);
  allowance.needs_capability = refusal.has(Cause::Capability) || refusal.has(Cause::UserNamespace);
  return allowance;
}

void add(Allowance& all, const Allowance& one) {
  for (const std::string& name : one.capabilities)
    if (std::ranges::find(all.capabilities, name) == all.capabilities.end()) all.capabilities.push_back(name);
  for (const SystemCall call : one.filtered)
    if (std::ranges::find(all.filtered, call) == all.filtered.end()) all.filtered.push_back(call);
  all.needs_capability |= one.needs_capability;
}

// Root that lacks a capability was started without it, as is everything in a user namespace: a file cannot give it back.
bool has_root_that(const Allowance& allowance, const Surroundings& around) {
  return !allowance.capabilities.empty() && allowance.filtered.empty() && around.uid != 0 &&
         !around.features.in_user_namespace && can_gain(allowance, around);
}

bool can_be_given_to_file(const Allowance& allowance, const Surroundings& around) {
  return has_root_that(allowance, around) && !around.features.no_new_privileges;
}

std::vector<StartLine> start_lines(const Allowance& allowance, const Surroundings& around) {
  return {{"docker", for_docker(allowance, around)},
          {"podman", for_podman(allowance, around)},
          {"kubernetes", for_kubernetes(allowance, around)},
          {"systemd", for_systemd(allowance)}};
}

StartLine start_line(const Allowance& allowance, const Surroundings& around) {
  const std::vector<StartLine> lines = start_lines(allowance, around);
  const auto found = std::ranges::find(lines, around.features.starter, &StartLine::starter);
  return found == lines.end() ? lines.front() : *found;
}

Error fail_refused(const std::string& what, RefusedCall refused, const std::string& detail) {
  refused.nonsense = answer_to_nonsense(refused.call);
  const Surroundings around = look_around();
  const Refusal refusal = explain(refused, around);
  Allowance allowance = allowance_for(refusal, refused.call);
  // Who allows one of the two wants the other as well.
  if (!allowance.capabilities.empty())
    add(allowance, {.capabilities = {"cap_perfmon", "cap_bpf"}, .needs_capability = false});
  const std::string allow = how_to_allow(refusal, allowance, around);
  // To stop threads is the last way that there is.
  const std::string works = refused.call == SystemCall::Ptrace
                                ? "dynamically linked programs can be recorded all the same"
                                : "the CPU time of a command can be recorded all the same: atys capture COMMAND";
  std::string message = what + ": " + std::strerror(refused.error) + ": " + refusal.why;
  if (refusal.has(Cause::SecurityModule) && !detail.empty()) message += " (" + detail + ")";
  return fail(refusal.has(Cause::NoSuchCall) ? ErrorCode::Unsupported : ErrorCode::PermissionDenied, std::move(message),
              allow.empty() ? works : works + "; " + allow);
}

}  // namespace atys::linux
