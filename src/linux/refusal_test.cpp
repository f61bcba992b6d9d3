// SPDX-License-Identifier: Apache-2.0
#include "linux/refusal.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>

#include "linux/allowance.h"
#include "linux/perf_events.h"
#include "support/refused_calls.h"

namespace atys::linux {
namespace {

using Causes = std::vector<Cause>;
using Names = std::vector<std::string>;

// An ordinary user of a new kernel with its own settings.
Surroundings ordinary() {
  Surroundings around;
  around.kernel = {6, 18, 0};
  around.uid = 1000;
  around.gainable = {"cap_sys_ptrace", "cap_perfmon", "cap_bpf"};
  around.sysctls.perf_event_paranoid = 2;
  around.sysctls.unprivileged_bpf_disabled = 2;
  return around;
}

Surroundings with(void (*change)(Surroundings&)) {
  Surroundings around = ordinary();
  change(around);
  return around;
}

void is_filtered(Surroundings& around) { around.features.seccomp_mode = 2; }
void is_root(Surroundings& around) {
  around.uid = 0;
  around.held = {"cap_sys_ptrace", "cap_sys_admin", "cap_perfmon", "cap_bpf"};
}
void is_namespace_root(Surroundings& around) {
  is_root(around);
  around.features.in_user_namespace = true;
}

constexpr auto kPerf = SystemCall::PerfEventOpen;
constexpr auto kBpf = SystemCall::Bpf;
constexpr auto kRead = SystemCall::ProcessVmReadv;

struct Case {
  const char* name;
  RefusedCall refused;
  Surroundings around;
  Causes causes;
  const char* why;
};

const Case kCases[] = {
    {"a filter alone: the sysctl would allow it",
     {.call = kPerf, .error = EPERM, .nonsense = EPERM},
     with(is_filtered),
     {Cause::Filter},
     "a system-call filter (seccomp) refuses perf_event_open"},
    {"a filter that hides the call",
     {.call = kPerf, .error = ENOSYS, .nonsense = ENOSYS},
     with(is_filtered),
     {Cause::Filter},
     "a system-call filter (seccomp) refuses perf_event_open"},
    {"a filter around root with every capability",
     {.call = kBpf, .error = EPERM, .nonsense = EPERM},
     with([](Surroundings& a) { is_root(a), is_filtered(a); }),
     {Cause::Filter},
     "a system-call filter (seccomp) refuses bpf"},
    {"a filter that lets the call through is not to blame",
     {.call = kPerf, .error = EACCES, .nonsense = EINVAL, .most_paranoid = 1},
     with(is_filtered),
     {Cause::Sysctl, Cause::Capability},
     "kernel.perf_event_paranoid = 2, and without cap_perfmon it has to be 1 or less"},
    {"filter and sysctl",
     {.call = kPerf, .error = EPERM, .nonsense = EPERM, .most_paranoid = 0},
     with(is_filtered),
     {Cause::Filter, Cause::Sysctl, Cause::Capability},
     "a system-call filter (seccomp) refuses perf_event_open; besides, kernel.perf_event_paranoid = 2, and without "
     "cap_perfmon it has to be 0 or less"},
    {"filter and capability",
     {.call = kBpf, .error = EPERM, .nonsense = EPERM},
     with(is_filtered),
     {Cause::Filter, Cause::Capability},
     "a system-call filter (seccomp) refuses bpf; besides, cap_bpf and cap_perfmon are missing"},
    {"filter and user namespace",
     {.call = kBpf, .error = EPERM, .nonsense = EPERM},
     with([](Surroundings& a) { is_namespace_root(a), is_filtered(a); }),
     {Cause::Filter, Cause::UserNamespace},
     "a system-call filter (seccomp) refuses bpf; besides, we are in a user namespace, whose capabilities do not count for "
     "the machine (cap_bpf and cap_perfmon would be needed)"},
    {"a sysctl",
     {.call = kPerf, .error = EACCES, .nonsense = EINVAL, .most_paranoid = 0},
     ordinary(),
     {Cause::Sysctl, Cause::Capability},
     "kernel.perf_event_paranoid = 2, and without cap_perfmon it has to be 0 or less"},
    {"a capability",
     {.call = kBpf, .error = EPERM, .nonsense = EINVAL},
     ordinary(),
     {Cause::Capability},
     "cap_bpf and cap_perfmon are missing"},
    {"one capability of two",
     {.call = kBpf, .error = EPERM, .nonsense = EINVAL},
     with([](Surroundings& a) { a.held = {"cap_bpf"}; }),
     {Cause::Capability},
     "cap_perfmon is missing"},
    {"a process of another user",
     {.call = kPerf, .error = EACCES, .nonsense = EINVAL, .is_of_other_user = true},
     ordinary(),
     {Cause::Capability},
     "it is a process of another user, and cap_perfmon is missing"},
    {"root of a user namespace, eBPF",
     {.call = kBpf, .error = EPERM, .nonsense = EINVAL},
     with(is_namespace_root),
     {Cause::UserNamespace},
     "we are in a user namespace, whose capabilities do not count for the machine (cap_bpf and cap_perfmon would be "
     "needed)"},
    {"root of a user namespace, the whole host",
     {.call = kPerf, .error = EACCES, .nonsense = EINVAL, .most_paranoid = 0},
     with(is_namespace_root),
     {Cause::UserNamespace, Cause::Sysctl},
     "kernel.perf_event_paranoid = 2, and in a user namespace, whose capabilities do not count, it has to be 0 or less"},
    {"a security module: the sysctl allows it",
     {.call = kPerf, .error = EACCES, .nonsense = EINVAL},
     with([](Surroundings& a) { a.features.security_modules = "lockdown,capability,yama,selinux"; }),
     {Cause::SecurityModule},
     "a security module of the kernel (selinux) refuses perf_event_open: capabilities and sysctls would allow it"},
    {"lockdown",
     {.call = kBpf, .error = EPERM, .nonsense = EINVAL},
     with([](Surroundings& a) { is_root(a), a.features.lockdown = Lockdown::Confidentiality; }),
     {Cause::Lockdown},
     "the kernel is locked down (confidentiality)"},
    {"the verifier",
     {.call = kBpf, .error = EACCES, .nonsense = EINVAL},
     with(is_root),
     {Cause::SecurityModule},
     "the verifier of the kernel, or a security module, refuses the program"},
    {"locked memory of old kernels",
     {.call = kBpf, .error = EPERM, .nonsense = EINVAL},
     with([](Surroundings& a) {
       a.held = {"cap_bpf", "cap_perfmon"}, a.kernel = {5, 10, 0};
     }),
     {Cause::LockedMemory},
     "locked memory is limited (ulimit -l), and kernels before 5.11 count eBPF maps as that"},
    {"an old kernel that asks for rights first says nothing of the filter",
     {.call = kBpf, .error = EPERM, .nonsense = EPERM},
     with([](Surroundings& a) {
       is_filtered(a), a.kernel = {5, 15, 0};
     }),
     {Cause::Capability},
     "cap_bpf and cap_perfmon are missing"},
    {"a kernel without the call",
     {.call = kPerf, .error = ENOSYS, .nonsense = ENOSYS},
     ordinary(),
     {Cause::NoSuchCall},
     "this kernel, or the sandbox in its place, has no perf_event_open"},
    {"Yama, no child",
     {.call = kRead, .error = EPERM, .nonsense = EINVAL},
     with([](Surroundings& a) { a.sysctls.ptrace_scope = 1; }),
     {Cause::Sysctl, Cause::Capability},
     "kernel.yama.ptrace_scope = 1: without cap_sys_ptrace only commands that we start"},
    {"Yama, for everybody",
     {.call = SystemCall::Ptrace, .error = EPERM, .nonsense = ESRCH, .is_of_child = true},
     with([](Surroundings& a) { is_root(a), a.sysctls.ptrace_scope = 3; }),
     {Cause::Sysctl},
     "kernel.yama.ptrace_scope = 3: nobody may, until the machine starts anew"},
    {"memory of another user",
     {.call = kRead, .error = EPERM, .nonsense = EINVAL, .is_of_other_user = true},
     ordinary(),
     {Cause::Capability},
     "it is a process of another user, and cap_sys_ptrace is missing"},
    {"a sysctl that cannot be read",
     {.call = kPerf, .error = EACCES, .nonsense = EINVAL},
     with([](Surroundings& a) { a.sysctls = {}; }),
     {Cause::Capability},
     "kernel.perf_event_paranoid cannot be read, and cap_perfmon is missing"},
    {"no refusal",
     {.call = kPerf, .error = ENOENT, .nonsense = EINVAL},
     with(is_filtered),
     {},
     "the kernel answers: No such file or directory"},
};

TEST(refusal, names_who_refused_it_and_nobody_else) {
  for (const Case& one : kCases) {
    const Refusal refusal = explain(one.refused, one.around);
    EXPECT_EQ(refusal.causes, one.causes) << one.name;
    EXPECT_EQ(refusal.why, one.why) << one.name;
  }
}

TEST(refusal, tells_what_would_be_enough) {
  const Refusal host = explain({.call = kPerf, .error = EACCES, .nonsense = EINVAL, .most_paranoid = 0}, ordinary());
  EXPECT_EQ(host.sysctl, "kernel.perf_event_paranoid=0");
  EXPECT_EQ(host.capabilities, (Names{"cap_perfmon"}));
  const Refusal module = explain({.call = kPerf, .error = EACCES, .nonsense = EINVAL}, ordinary());
  EXPECT_TRUE(module.capabilities.empty());
  EXPECT_TRUE(module.sysctl.empty());
}

TEST(refusal, is_told_from_nonsense_by_the_kernel_itself) {
  for (const SystemCall call : {kPerf, kBpf, kRead, SystemCall::Ptrace, SystemCall::MemfdCreate, SystemCall::SignalThread}) {
    if (look_around().features.seccomp_mode == 0 && look_around().kernel >= KernelVersion{5, 19, 0}) {
      EXPECT_FALSE(is_refusal(answer_to_nonsense(call))) << to_string(call);
    }
  }
  EXPECT_TRUE(test::holds_without({SYS_perf_event_open, SYS_bpf, SYS_ptrace, SYS_rt_tgsigqueueinfo}, EPERM, [] {
    return answer_to_nonsense(kPerf) == EPERM && answer_to_nonsense(kBpf) == EPERM &&
           answer_to_nonsense(SystemCall::Ptrace) == EPERM && answer_to_nonsense(SystemCall::SignalThread) == EPERM &&
           answer_to_nonsense(kRead) == EINVAL && answer_to_nonsense(SystemCall::MemfdCreate) == EINVAL;
  }));
}

// Whoever we are, and whatever the sysctl is here.
TEST(refusal, of_an_event_is_the_filters_where_there_is_one) {
  for (const int error : {EPERM, ENOSYS})
    EXPECT_TRUE(test::holds_without({SYS_perf_event_open}, error, [] {
      const auto event = open_perf_event(cpu_clock_attributes(10'000'000), {.pid = 0, .cpu = -1}, "the CPU clock");
      return !event.ok() && event.error().code == ErrorCode::PermissionDenied &&
             event.error().message.find("a system-call filter (seccomp) refuses perf_event_open") != std::string::npos;
    })) << error;
}

struct StartCase {
  const char* name;
  Allowance allowance;
  Surroundings around;
  Names lines;  // docker, podman, kubernetes, systemd
};

Surroundings in_container() {
  return with([](Surroundings& a) { a.uid = 0, a.gainable = {"cap_chown"}; });
}

const Allowance kBoth{.capabilities = {"cap_perfmon", "cap_bpf"}, .filtered = {kPerf, kBpf}};

const StartCase kStarts[] = {
    {"root of a container",
     kBoth,
     in_container(),
     {"docker run --cap-add PERFMON --cap-add BPF …", "podman run --cap-add PERFMON,BPF --security-opt seccomp=unconfined …",
      "securityContext: {capabilities: {add: [PERFMON, BPF]}}",
      "AmbientCapabilities=CAP_PERFMON CAP_BPF\nSystemCallFilter=perf_event_open bpf"}},
    {"a user of a container",
     kBoth,
     with([](Surroundings& a) { a.gainable = {"cap_chown"}; }),
     {"docker run --user 0 --cap-add PERFMON --cap-add BPF …",
      "podman run --cap-add PERFMON,BPF --security-opt seccomp=unconfined …",
      "securityContext: {runAsUser: 0, capabilities: {add: [PERFMON, BPF]}}",
      "AmbientCapabilities=CAP_PERFMON CAP_BPF\nSystemCallFilter=perf_event_open bpf"}},
    {"a user for whom the filter alone is in the way",
     {.capabilities = {"cap_perfmon"}, .filtered = {kPerf}, .needs_capability = false},
     with([](Surroundings& a) { a.gainable = {"cap_chown"}; }),
     {"docker run --cap-add PERFMON …", "podman run --cap-add PERFMON --security-opt seccomp=unconfined …",
      "securityContext: {capabilities: {add: [PERFMON]}}",
      "AmbientCapabilities=CAP_PERFMON\nSystemCallFilter=perf_event_open"}},
    {"a filter that no capability opens",
     kBoth,
     with([](Surroundings& a) { is_root(a); }),
     {"docker run --cap-add PERFMON --cap-add BPF --security-opt seccomp=unconfined …",
      "podman run --cap-add PERFMON,BPF --security-opt seccomp=unconfined …",
      "securityContext: {capabilities: {add: [PERFMON, BPF]}, seccompProfile: {type: Unconfined}}",
      "AmbientCapabilities=CAP_PERFMON CAP_BPF\nSystemCallFilter=perf_event_open bpf"}},
    {"a user namespace",
     {.capabilities = {"cap_perfmon"}},
     with([](Surroundings& a) { is_namespace_root(a), a.gainable = {}; }),
     {"docker run --userns host --cap-add PERFMON …", "sudo podman run --cap-add PERFMON …",
      "securityContext: {capabilities: {add: [PERFMON]}}", "AmbientCapabilities=CAP_PERFMON"}},
};

TEST(allowance, is_a_line_for_each_engine) {
  for (const StartCase& one : kStarts) {
    const std::vector<StartLine> lines = start_lines(one.allowance, one.around);
    ASSERT_EQ(lines.size(), one.lines.size());
    for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].text, one.lines[i]) << one.name << ", " << lines[i].starter;
  }
}

TEST(allowance, is_that_of_who_started_us) {
  Surroundings around = in_container();
  EXPECT_EQ(start_line(kBoth, around).starter, "docker");
  around.features.starter = "kubernetes";
  EXPECT_EQ(start_line(kBoth, around).starter, "kubernetes");
}

TEST(allowance, is_a_matter_of_files_only_where_they_count) {
  Allowance wish{.capabilities = {"cap_perfmon"}};
  EXPECT_TRUE(can_be_given_to_file(wish, ordinary()));
  EXPECT_FALSE(can_be_given_to_file(wish, in_container()));
  const Surroundings without_new_rights = with([](Surroundings& a) { a.features.no_new_privileges = true; });
  EXPECT_FALSE(can_be_given_to_file(wish, without_new_rights));
  EXPECT_TRUE(has_root_that(wish, without_new_rights));
  EXPECT_FALSE(can_be_given_to_file(wish, with([](Surroundings& a) { a.features.in_user_namespace = true; })));
  EXPECT_FALSE(can_be_given_to_file(wish, with([](Surroundings& a) { a.gainable = {}; })));
  wish.filtered = {kPerf};
  EXPECT_FALSE(can_be_given_to_file(wish, ordinary()));
}

}  // namespace
}  // namespace atys::linux
