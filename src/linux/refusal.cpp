// SPDX-License-Identifier: Apache-2.0
#include "linux/refusal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace atys::linux {

namespace {

using Names = std::vector<std::string>;

constexpr KernelVersion kBpfAsksLast{5, 19, 0};      // for rights; before, whatever was asked of it
constexpr KernelVersion kBpfMemoryIsFree{5, 11, 0};  // of the limit on locked memory

// What would refuse the call if nothing else did.
struct Obstacle {
  std::vector<Cause> causes;
  std::string text;
  std::string sysctl;
};

bool counts(const Surroundings& around, const std::string& capability) {
  return !around.features.in_user_namespace && holds(around, capability);
}

Names missing_of(const Names& wanted, const Surroundings& around) {
  Names missing;
  for (const std::string& name : wanted)
    if (!counts(around, name)) missing.push_back(name);
  return missing;
}

std::string in_words(const Names& names) { return joined(names, " and "); }

// "cap_bpf and cap_perfmon are missing"
Obstacle without(const Names& missing, const Surroundings& around, const std::string& because = {}) {
  if (around.features.in_user_namespace)
    return {{Cause::UserNamespace},
            because + "we are in a user namespace, whose capabilities do not count for the machine (" + in_words(missing) +
                " would be needed)",
            {}};
  return {{Cause::Capability}, because + in_words(missing) + (missing.size() == 1 ? " is missing" : " are missing"), {}};
}

Obstacle of_perf(const RefusedCall& refused, const Surroundings& around) {
  const auto paranoid = around.sysctls.perf_event_paranoid;
  if (counts(around, "cap_perfmon")) return {};
  if (paranoid.value_or(refused.most_paranoid) > refused.most_paranoid) {
    const std::string is = "kernel.perf_event_paranoid = " + std::to_string(*paranoid);
    const std::string level = std::to_string(refused.most_paranoid);
    const std::string sysctl = "kernel.perf_event_paranoid=" + level;
    if (around.features.in_user_namespace)
      return {{Cause::UserNamespace, Cause::Sysctl},
              is + ", and in a user namespace, whose capabilities do not count, it has to be " + level + " or less",
              sysctl};
    return {{Cause::Sysctl, Cause::Capability}, is + ", and without cap_perfmon it has to be " + level + " or less", sysctl};
  }
  if (refused.is_of_other_user) return without({"cap_perfmon"}, around, "it is a process of another user, and ");
  // Nobody can say what a sysctl is that cannot be read.
  return paranoid ? Obstacle{} : without({"cap_perfmon"}, around, "kernel.perf_event_paranoid cannot be read, and ");
}

Obstacle of_bpf(const Surroundings& around) {
  const Names missing = missing_of({"cap_bpf", "cap_perfmon"}, around);
  if (!missing.empty()) return without(missing, around);
  if (around.kernel < kBpfMemoryIsFree && !counts(around, "cap_sys_resource"))
    return {
        {Cause::LockedMemory}, "locked memory is limited (ulimit -l), and kernels before 5.11 count eBPF maps as that", {}};
  return {};
}

Obstacle of_ptrace(const RefusedCall& refused, const Surroundings& around) {
  const int64_t scope = around.sysctls.ptrace_scope.value_or(0);
  const std::string is = "kernel.yama.ptrace_scope = " + std::to_string(scope);
  if (scope >= 3) return {{Cause::Sysctl}, is + ": nobody may, until the machine starts anew", {}};
  if (counts(around, "cap_sys_ptrace")) return {};
  const char* const kFree = "kernel.yama.ptrace_scope=0";
  if (scope == 2) return {{Cause::Sysctl, Cause::Capability}, is + ": only with cap_sys_ptrace", kFree};
  if (refused.is_of_other_user) return without({"cap_sys_ptrace"}, around, "it is a process of another user, and ");
  if (scope == 1 && !refused.is_of_child)
    return {{Cause::Sysctl, Cause::Capability}, is + ": without cap_sys_ptrace only commands that we start", kFree};
  return {};
}

Obstacle obstacle_of(const RefusedCall& refused, const Surroundings& around) {
  switch (refused.call) {
    case SystemCall::PerfEventOpen: return of_perf(refused, around);
    case SystemCall::Bpf: return of_bpf(around);
    case SystemCall::Ptrace:
    case SystemCall::ProcessVmReadv: return of_ptrace(refused, around);
    case SystemCall::MemfdCreate:
    case SystemCall::SignalThread: return {};
  }
  return {};
}

Names capabilities_for(SystemCall call) {
  switch (call) {
    case SystemCall::PerfEventOpen: return {"cap_perfmon"};
    case SystemCall::Bpf: return {"cap_bpf", "cap_perfmon"};
    case SystemCall::Ptrace:
    case SystemCall::ProcessVmReadv: return {"cap_sys_ptrace"};
    case SystemCall::MemfdCreate:
    case SystemCall::SignalThread: return {};
  }
  return {};
}

// The answer to nonsense is of a filter, unless the kernel of that time would have said the same.
bool is_filtered(const RefusedCall& refused, const Surroundings& around) {
  if (!is_refusal(refused.nonsense)) return false;
  const bool has_filter = around.features.seccomp_mode == 2;
  if (refused.nonsense == ENOSYS) return has_filter;
  const bool kernel_would_too = refused.call == SystemCall::Bpf && around.kernel < kBpfAsksLast &&
                                !counts(around, "cap_bpf") && around.sysctls.unprivileged_bpf_disabled.value_or(1) != 0;
  return !kernel_would_too;
}

// Those that refuse by rules of their own.
std::string guards_in(std::string_view modules) {
  Names found;
  for (const char* name : {"selinux", "apparmor", "smack", "tomoyo", "bpf"})
    if (("," + std::string(modules) + ",").find("," + std::string(name) + ",") != std::string::npos)
      found.emplace_back(name);
  return in_words(found);
}

// None of what can be looked up.
Obstacle of_kernel(const RefusedCall& refused, const Surroundings& around) {
  const std::string call = to_string(refused.call);
  if (refused.error == ENOSYS) return {{Cause::NoSuchCall}, "this kernel, or the sandbox in its place, has no " + call, {}};
  if (around.features.lockdown == Lockdown::Confidentiality)
    return {{Cause::Lockdown}, "the kernel is locked down (confidentiality)", {}};
  if (refused.call == SystemCall::Bpf && refused.error == EACCES)  // so does the verifier of programs
    return {{Cause::SecurityModule}, "the verifier of the kernel, or a security module, refuses the program", {}};
  const std::string guards = guards_in(around.features.security_modules);
  return {{Cause::SecurityModule},
          "a security module of the kernel" + (guards.empty() ? "" : " (" + guards + ")") + " refuses " + call +
              ": capabilities and sysctls would allow it",
          {}};
}

}  // namespace

const char* to_string(Cause cause) {
  switch (cause) {
    case Cause::Filter: return "filter";
    case Cause::NoSuchCall: return "no such call";
    case Cause::Capability: return "capability";
    case Cause::UserNamespace: return "user namespace";
    case Cause::Sysctl: return "sysctl";
    case Cause::Lockdown: return "lockdown";
    case Cause::LockedMemory: return "locked memory";
    case Cause::HiddenProc: return "hidden proc";
    case Cause::SecurityModule: return "security module";
  }
  return "";
}

bool holds(const Surroundings& around, const std::string& capability) {
  const auto has = [&](const std::string& name) { return std::ranges::find(around.held, name) != around.held.end(); };
  const bool is_part_of_admin = capability == "cap_perfmon" || capability == "cap_bpf";
  return has(capability) || (is_part_of_admin && has("cap_sys_admin"));
}

bool Refusal::has(Cause cause) const { return std::ranges::find(causes, cause) != causes.end(); }

Refusal explain(const RefusedCall& refused, const Surroundings& around) {
  Refusal refusal;
  if (!is_refusal(refused.error)) {
    refusal.why = std::string("the kernel answers: ") + std::strerror(refused.error);
    return refusal;
  }
  if (is_filtered(refused, around)) {
    refusal.causes.push_back(Cause::Filter);
    refusal.why = std::string("a system-call filter (seccomp) refuses ") + to_string(refused.call);
    refusal.capabilities = capabilities_for(refused.call);
  }
  Obstacle obstacle = refused.error == ENOSYS && refusal.causes.empty() ? Obstacle{} : obstacle_of(refused, around);
  if (obstacle.causes.empty() && refusal.causes.empty()) obstacle = of_kernel(refused, around);
  if (obstacle.causes.empty()) return refusal;
  refusal.why += (refusal.causes.empty() ? "" : "; besides, ") + obstacle.text;
  refusal.causes.insert(refusal.causes.end(), obstacle.causes.begin(), obstacle.causes.end());
  refusal.sysctl = obstacle.sysctl;
  if (refusal.has(Cause::Capability) || refusal.has(Cause::UserNamespace))
    refusal.capabilities = capabilities_for(refused.call);
  return refusal;
}

Surroundings look_around() {
  Surroundings around{.features = read_kernel_features(), .sysctls = read_sysctls(), .uid = ::geteuid()};
  around.kernel = kernel_version().value_or(KernelVersion{});
  if (const auto held = Capabilities::of_ourselves(); held.ok()) around.held = held->names();
  if (const auto bounding = Capabilities::of_ourselves("CapBnd"); bounding.ok()) around.gainable = bounding->names();
  return around;
}

}  // namespace atys::linux
