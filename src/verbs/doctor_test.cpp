// SPDX-License-Identifier: Apache-2.0
#include "verbs/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace atys::verbs {
namespace {

using Strings = std::vector<std::string>;

const DoctorRow& row_of(const DoctorAnswer& answer, std::string_view name) {
  static const DoctorRow kNone;
  const auto found = std::ranges::find(answer.rows, name, &DoctorRow::name);
  return found == answer.rows.end() ? kNone : *found;
}

// As recorded for an ordinary user of a machine with the settings of Debian.
linux::Probes ordinary_user() {
  linux::Probes probes;
  probes.around.kernel = {6, 1, 0};
  probes.around.uid = 1000;
  probes.program = "/usr/bin/atys";
  probes.around.gainable = {"cap_sys_ptrace", "cap_sys_admin", "cap_syslog",
                            "cap_perfmon",    "cap_bpf",       "cap_checkpoint_restore"};
  probes.around.sysctls.perf_event_paranoid = 2;
  probes.around.sysctls.kptr_restrict = 0;
  probes.around.sysctls.unprivileged_bpf_disabled = 2;
  probes.around.sysctls.perf_event_max_sample_rate = 100'000;
  probes.around.sysctls.perf_event_max_stack = 127;
  probes.around.features.has_btf = true;
  probes.around.features.tracefs = "/sys/kernel/tracing";
  for (linux::Attempt* attempt : {&probes.perf_kernel, &probes.perf_host, &probes.tracepoint}) attempt->error = EACCES;
  for (linux::Attempt* attempt : {&probes.bpf_map, &probes.bpf_program, &probes.bpf_ring, &probes.bpf_stats})
    attempt->error = EPERM;
  probes.cycles.error = ENOENT;
  probes.precise_cycles.error = ENOENT;
  probes.kernel_symbols.error = EPERM;
  probes.other_users.error = EACCES;
  probes.map_files.error = EPERM;
  return probes;
}

TEST(doctor, names_the_sysctl_and_the_capability_for_each_refusal) {
  const DoctorAnswer answer = judge(ordinary_user(), "");
  EXPECT_EQ(row_of(answer, "sampling").health, Health::Works);
  EXPECT_TRUE(row_of(answer, "sampling").enable.empty());
  EXPECT_EQ(row_of(answer, "kernel stacks").enable,
            (Strings{"sysctl -w kernel.perf_event_paranoid=1", "setcap cap_perfmon+ep /usr/bin/atys"}));
  EXPECT_EQ(row_of(answer, "whole host").enable,
            (Strings{"sysctl -w kernel.perf_event_paranoid=0", "setcap cap_perfmon+ep /usr/bin/atys"}));
  EXPECT_EQ(row_of(answer, "tracepoints").enable,
            (Strings{"sysctl -w kernel.perf_event_paranoid=-1", "setcap cap_perfmon+ep /usr/bin/atys"}));
  EXPECT_EQ(row_of(answer, "eBPF programs").enable, (Strings{"setcap cap_bpf,cap_perfmon+ep /usr/bin/atys"}));
  EXPECT_EQ(row_of(answer, "processes of others").enable, (Strings{"setcap cap_perfmon,cap_sys_ptrace+ep /usr/bin/atys"}));
  EXPECT_EQ(row_of(answer, "replaced files").health, Health::Limited);
  EXPECT_EQ(answer.tier, "perf");
  EXPECT_EQ(answer.will_not_work.front(), "capture --host");
}

TEST(doctor, says_first_what_works_and_the_one_change_that_gives_the_most) {
  const DoctorAnswer user = judge(ordinary_user(), "");
  EXPECT_EQ(user.verdict,
            "capture works here, in tier perf, with off-cpu and wall; not: capture --host, processes of other users, "
            "stacks of the kernel, names of kernel functions, hardware events, tracepoints");
  EXPECT_EQ(user.fix.command, "setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep /usr/bin/atys");
  EXPECT_EQ(user.fix.gives.front(), "tier ebpf, exact waits");
  linux::Probes all;
  EXPECT_EQ(judge(all, "").verdict, "everything works here: capture uses tier ebpf");
  EXPECT_EQ(judge(all, "").fix.command, "");
  // What no capability gives comes by itself, and what matters more comes first.
  all.tracepoint.error = ENOENT;
  all.around.features.knows_tracefs = true;
  EXPECT_EQ(judge(all, "").fix.command, "mount -t tracefs tracefs /sys/kernel/tracing");
  all.btf.error = ENOENT;
  EXPECT_EQ(judge(all, "").fix.command, "a kernel built with CONFIG_DEBUG_INFO_BTF=y");
  EXPECT_EQ(judge(all, "").verdict.find("capture works here, in tier perf, with capture --host"), 0u);
  linux::Probes none = ordinary_user();
  none.around.uid = 0;
  none.around.sysctls.perf_event_paranoid = 3;
  none.perf_self.error = none.perf_ring.error = EACCES;
  EXPECT_EQ(judge(none, "").verdict.find(
                "capture works here, in tier signal, with off-cpu and wall; not: native frames of processes that run"),
            0u);
  EXPECT_TRUE(judge(none, "").fix.command.starts_with("docker run --cap-add PERFMON --cap-add BPF"));
  none.signal.error = none.stop.error = none.child_memory.error = EPERM;
  EXPECT_EQ(judge(none, "").verdict,
            "capture does not work here: no event can be opened, no signal sent, no thread stopped and no memory read");
}

TEST(doctor, does_not_blame_permissions_for_a_machine_without_counters) {
  const DoctorRow row = row_of(judge(ordinary_user(), ""), "hardware events");
  EXPECT_EQ(row.health, Health::Missing);
  EXPECT_EQ(row.why.find("refused"), std::string::npos);
  EXPECT_NE(row.why.find("No such file or directory"), std::string::npos);
}

TEST(doctor, chooses_ebpf_where_all_of_it_works) {
  linux::Probes probes;
  EXPECT_EQ(judge(probes, "").tier, "ebpf");
  EXPECT_TRUE(judge(probes, "").will_not_work.empty());
  probes.btf.error = ENOENT;
  EXPECT_EQ(judge(probes, "").tier, "perf");
  probes.perf_ring.error = EPERM;
  EXPECT_EQ(judge(probes, "").tier, "signal");
  probes.preload.error = EPERM;
  EXPECT_EQ(judge(probes, "").tier, "stop");
  probes.stop.error = EPERM;
  EXPECT_EQ(judge(probes, "").tier, "memory");
  probes.child_memory.error = EPERM;
  EXPECT_EQ(judge(probes, "").tier, "");
  EXPECT_EQ(judge(probes, "").will_not_work.front(), "capture");
}

// An ordinary user behind the filter of Docker, and root with what Docker leaves it.
linux::Probes in_container(uint32_t uid) {
  linux::Probes probes = ordinary_user();
  probes.around.uid = uid;
  probes.around.gainable = {"cap_chown", "cap_setpcap"};
  probes.around.features.container = "/.dockerenv";
  probes.around.features.starter = "docker";
  probes.around.features.seccomp_mode = 2;
  probes.nonsense = {{linux::SystemCall::PerfEventOpen, EPERM}, {linux::SystemCall::Bpf, EPERM}};
  for (linux::Attempt* attempt : {&probes.perf_self, &probes.perf_kernel, &probes.perf_host, &probes.perf_ring,
                                  &probes.perf_stack_dump, &probes.cycles})
    attempt->error = EPERM;
  return probes;
}

TEST(doctor, tells_a_container_how_to_be_started) {
  const DoctorAnswer user = judge(in_container(1000), "");
  // The sysctl has nothing to do with it: it would allow that.
  EXPECT_EQ(row_of(user, "sampling").why, "refused: a system-call filter (seccomp) refuses perf_event_open");
  EXPECT_EQ(row_of(user, "sampling").enable, (Strings{"docker run --cap-add PERFMON …"}));
  EXPECT_EQ(row_of(user, "eBPF maps").why,
            "refused: a system-call filter (seccomp) refuses bpf; besides, cap_bpf and cap_perfmon are missing");
  EXPECT_EQ(row_of(user, "eBPF maps").enable, (Strings{"docker run --user 0 --cap-add BPF --cap-add PERFMON …"}));
  EXPECT_EQ(user.cause,
            "a system-call filter (seccomp) refuses perf_event_open and bpf; besides, cap_bpf and cap_perfmon are missing");
  EXPECT_EQ(user.tier, "signal");
  const DoctorAnswer root = judge(in_container(0), "");
  EXPECT_EQ(row_of(root, "eBPF maps").enable, (Strings{"docker run --cap-add BPF --cap-add PERFMON …"}));
  ASSERT_EQ(root.fix.starts.size(), 4u);
  EXPECT_EQ(root.fix.starts.front().text, root.fix.command);
  EXPECT_TRUE(root.fix.command.starts_with("docker run --cap-add PERFMON --cap-add BPF --cap-add SYS_PTRACE"));
}

TEST(doctor, names_one_cause_for_all_that_it_refuses) {
  EXPECT_EQ(judge({}, "").cause, "");
  EXPECT_EQ(judge(ordinary_user(), "").cause, "cap_bpf and cap_perfmon are missing");
  linux::Probes strict = ordinary_user();
  strict.around.sysctls.perf_event_paranoid = 3;
  strict.perf_self.error = EACCES;
  EXPECT_EQ(
      judge(strict, "").cause,
      "kernel.perf_event_paranoid = 3, and without cap_perfmon it has to be 2 or less; eBPF: cap_bpf and cap_perfmon are "
      "missing");
  linux::Probes both = in_container(1000);
  both.around.sysctls.perf_event_paranoid = 3;
  EXPECT_EQ(judge(both, "").cause.find("a system-call filter (seccomp) refuses perf_event_open; besides, kernel.perf_event_"
                                       "paranoid = 3, and without cap_perfmon it has to be 2 or less; it refuses bpf; "),
            0u);
}

TEST(doctor, does_not_offer_setcap_for_what_a_file_cannot_give) {
  linux::Probes probes = ordinary_user();
  probes.around.gainable = {"cap_perfmon"};
  EXPECT_EQ(row_of(judge(probes, ""), "whole host").enable.back(), "setcap cap_perfmon+ep /usr/bin/atys");
  EXPECT_EQ(row_of(judge(probes, ""), "eBPF maps").enable,
            (Strings{"docker run --user 0 --cap-add BPF --cap-add PERFMON …"}));
  probes.around.features.no_new_privileges = true;
  EXPECT_EQ(row_of(judge(probes, ""), "whole host").enable.back(), "run as root");
  probes.around.features.in_user_namespace = true;
  EXPECT_EQ(row_of(judge(probes, ""), "whole host").enable.back(), "docker run --userns host --user 0 --cap-add PERFMON …");
}

TEST(doctor, tells_hidden_processes_from_forbidden_ones) {
  linux::Probes probes = ordinary_user();
  EXPECT_EQ(row_of(judge(probes, ""), "processes of others").why.find("processes of other users are not ours"), 0u);
  probes.other_users.error = ESRCH;
  probes.around.features.hidden_processes = "hidepid=invisible";
  const DoctorRow row = row_of(judge(probes, ""), "processes of others");
  EXPECT_EQ(row.why.find("/proc hides processes of other users (hidepid=invisible)"), 0u);
  EXPECT_EQ(row.causes, (std::vector{linux::Cause::HiddenProc, linux::Cause::Capability}));
}

TEST(doctor, reads_memory_by_the_file_where_the_call_is_refused) {
  linux::Probes probes = ordinary_user();
  probes.memory.error = EPERM;
  EXPECT_EQ(row_of(judge(probes, ""), "memory of processes").health, Health::Works);
  EXPECT_EQ(row_of(judge(probes, ""), "memory of processes").why.find("/proc/PID/mem"), 0u);
  probes.stop.error = EPERM;
  probes.around.features.seccomp_mode = 2;
  probes.nonsense = {{linux::SystemCall::Ptrace, EPERM}};
  EXPECT_EQ(row_of(judge(probes, ""), "stopping").why, "refused: a system-call filter (seccomp) refuses ptrace");
}

TEST(doctor, tells_what_each_setting_does) {
  linux::Probes probes = ordinary_user();
  probes.around.features.tracefs.clear();
  probes.around.features.knows_tracefs = true;
  EXPECT_EQ(row_of(judge(probes, ""), "tracefs").enable, (Strings{"mount -t tracefs tracefs /sys/kernel/tracing"}));
  EXPECT_EQ(row_of(judge(probes, ""), "tracepoints").enable, (Strings{"mount -t tracefs tracefs /sys/kernel/tracing"}));
  probes.memory.error = probes.memory_file.error = EPERM;
  probes.around.sysctls.ptrace_scope = 1;
  EXPECT_EQ(row_of(judge(probes, ""), "memory of processes").health, Health::Limited);
  EXPECT_EQ(row_of(judge(probes, ""), "memory of processes").enable.front(), "sysctl -w kernel.yama.ptrace_scope=0");
  probes.around.sysctls.kptr_restrict = 2;
  EXPECT_EQ(row_of(judge(probes, ""), "kernel symbols").enable, (Strings{"sysctl -w kernel.kptr_restrict=0"}));
  probes.around.sysctls.perf_event_max_sample_rate = 500;
  EXPECT_EQ(row_of(judge(probes, ""), "sampling rate").health, Health::Limited);
  EXPECT_EQ(row_of(judge(probes, ""), "debuginfod").health, Health::Missing);
  EXPECT_EQ(row_of(judge(probes, "https://example.org"), "debuginfod").health, Health::Works);
}

TEST(doctor, every_row_of_this_machine_says_why_and_what_is_missing_says_more) {
  const auto asked = doctor({});
  ASSERT_TRUE(asked.ok());
  const DoctorAnswer& answer = *asked;
  EXPECT_GE(answer.rows.size(), 20u);
  EXPECT_GE(answer.cpus, 1u);
  for (const DoctorRow& row : answer.rows) EXPECT_FALSE(row.why.empty()) << row.name;
}

TEST(doctor, says_what_one_language_needs) {
  const auto java = doctor({.language = "java"});
  ASSERT_TRUE(java.ok());
  ASSERT_EQ(java->rows.size(), 1u);
  EXPECT_EQ(java->rows[0].name, "java: async-profiler");
  EXPECT_EQ(java->rows[0].health == Health::Works, java->rows[0].enable.empty());
  EXPECT_EQ(java->verdict.find(java->rows[0].enable.empty() ? "all that captures of java can use is here"
                                                            : "of what captures of java"),
            0u);

  EXPECT_TRUE(java->rows[0].enable.empty() || java->fix.command == java->rows[0].enable.front());
  const auto python = doctor({.language = "python"});
  ASSERT_TRUE(python.ok());
  EXPECT_TRUE(python->rows.empty());
  const auto none = doctor({.language = "cobol"});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().hint.find("java"), std::string::npos);
  EXPECT_EQ(doctor({.language = "pyhton"}).error().hint, "did you mean python?");
}

}  // namespace
}  // namespace atys::verbs
