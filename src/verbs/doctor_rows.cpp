// SPDX-License-Identifier: Apache-2.0
// The rows of doctor: what each try means, and what to do about it.
#include "verbs/doctor_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace atys::verbs {

namespace {

using linux::Attempt;
using linux::Probes;

constexpr int64_t kUsefulRate = 10'000;

bool is_refused(const Attempt& attempt) { return attempt.error == EACCES || attempt.error == EPERM; }

std::string reason_of(const Attempt& attempt) {
  return attempt.detail.empty() ? std::strerror(attempt.error) : attempt.detail;
}

std::string paranoid_text(const Probes& probes) {
  return linux::sysctl_text("kernel.perf_event_paranoid", probes.sysctls.perf_event_paranoid);
}

// What else may stand between a capability and what it permits.
std::string obstacles(const Probes& probes) {
  std::string text;
  if (probes.features.in_user_namespace)
    text += "; we are in a user namespace, where capabilities do not count for the machine";
  if (probes.features.seccomp_mode == 2) text += "; a seccomp filter is on, which may forbid the call";
  if (probes.features.lockdown == linux::Lockdown::Confidentiality) text += "; the kernel is locked down (confidentiality)";
  return text;
}

// An event of perf that is refused by kernel.perf_event_paranoid unless it is at most `level`.
DoctorRow perf_row(const Probes& probes, std::string name, const Attempt& attempt, int level, std::string works,
                   std::string cost) {
  if (attempt.ok()) return {std::move(name), Health::Works, std::move(works), {}, std::move(cost)};
  DoctorRow row{std::move(name), Health::Missing, {}, {}, std::move(cost)};
  if (!is_refused(attempt)) {
    row.why = "the kernel answers: " + reason_of(attempt) + obstacles(probes);
    return row;
  }
  row.why = fmt::format("refused: {}, without cap_perfmon it has to be {} or less{}", paranoid_text(probes), level,
                        obstacles(probes));
  row.capabilities = {"cap_perfmon"};
  row.enable = grant(probes, row.capabilities, {fmt::format("sysctl -w kernel.perf_event_paranoid={}", level)});
  return row;
}

DoctorRow hardware_row(const Probes& probes) {
  const std::string cost = "as sampling by the clock";
  if (probes.cycles.ok() && probes.precise_cycles.ok())
    return {"hardware events", Health::Works, "cycles were opened, also with precise addresses", {}, cost};
  if (probes.cycles.ok())
    return {"hardware events",
            Health::Limited,
            "cycles were opened, but not with precise addresses (" + reason_of(probes.precise_cycles) +
                "): lines may be off by a few",
            {},
            cost};
  if (is_refused(probes.cycles)) return perf_row(probes, "hardware events", probes.cycles, 2, "", cost);
  return {
      "hardware events",
      Health::Missing,
      "the machine shows no counters (" + reason_of(probes.cycles) + "): sampling goes by the clock; software events work",
      {"in a virtual machine, on its host: give it a PMU, such as qemu -cpu host,pmu=on"},
      cost};
}

DoctorRow tracefs_row(const Probes& probes) {
  if (!probes.features.tracefs.empty()) return {"tracefs", Health::Works, "mounted at " + probes.features.tracefs, {}, {}};
  if (!probes.features.knows_tracefs) return {"tracefs", Health::Missing, "this kernel was built without it", {}, {}};
  return {"tracefs",
          Health::Missing,
          "not mounted: tracepoints have no numbers",
          {"mount -t tracefs tracefs /sys/kernel/tracing"},
          {}};
}

DoctorRow tracepoint_row(const Probes& probes) {
  DoctorRow row = perf_row(probes, "tracepoints", probes.tracepoint, -1, "sched:sched_switch was opened",
                           "one sample for each event: by how often it happens");
  if (probes.tracepoint.ok()) return row;
  if (probes.features.tracefs.empty()) {
    row.why = "tracefs is not mounted";
    row.capabilities.clear();
    row.enable = tracefs_row(probes).enable;
  } else if (!probes.tracepoint.detail.empty()) {
    row.why = "tracefs may not be read: " + probes.tracepoint.detail;
    row.capabilities.clear();
    row.enable = {"mount -o remount,mode=755 " + probes.features.tracefs, "run as root"};
  }
  return row;
}

DoctorRow bpf_row(const Probes& probes, std::string name, const Attempt& attempt, std::string works, std::string cost) {
  if (attempt.ok()) return {std::move(name), Health::Works, std::move(works), {}, std::move(cost)};
  DoctorRow row{std::move(name), Health::Missing, {}, {}, std::move(cost)};
  if (!is_refused(attempt)) {
    row.why = "the kernel answers: " + reason_of(attempt) + obstacles(probes);
    return row;
  }
  row.why = "refused: cap_bpf and cap_perfmon are needed; " +
            linux::sysctl_text("kernel.unprivileged_bpf_disabled", probes.sysctls.unprivileged_bpf_disabled) +
            obstacles(probes);
  row.capabilities = {"cap_bpf", "cap_perfmon"};
  row.enable = grant(probes, row.capabilities);
  return row;
}

DoctorRow bpf_stats_row(const Probes& probes) {
  const std::string cost = "two clock reads for each run of a BPF program, of every program on the machine";
  if (probes.sysctls.bpf_stats_enabled.value_or(0) != 0)
    return {"eBPF statistics", Health::Works, "kernel.bpf_stats_enabled is on already", {}, cost};
  if (probes.bpf_stats.ok())
    return {"eBPF statistics",
            Health::Works,
            "they were turned on, and off again: our overhead in the kernel can be measured",
            {},
            cost};
  DoctorRow row{"eBPF statistics",
                Health::Missing,
                "the time of our BPF programs cannot be measured (" + reason_of(probes.bpf_stats) + "): it is estimated",
                {},
                cost};
  row.enable = grant(probes, {"cap_sys_admin"}, {"sysctl -w kernel.bpf_stats_enabled=1"});
  return row;
}

DoctorRow btf_row(const Probes& probes) {
  if (probes.btf.ok()) return {"BTF", Health::Works, "/sys/kernel/btf/vmlinux can be read", {}, {}};
  return {"BTF",
          Health::Missing,
          "no /sys/kernel/btf/vmlinux: eBPF programs cannot be fitted to this kernel",
          {"a kernel built with CONFIG_DEBUG_INFO_BTF=y"},
          {}};
}

DoctorRow kernel_symbols_row(const Probes& probes) {
  if (probes.kernel_symbols.ok()) return {"kernel symbols", Health::Works, "/proc/kallsyms shows addresses", {}, {}};
  DoctorRow row{
      "kernel symbols",
      Health::Missing,
      "/proc/kallsyms shows no addresses: " + linux::sysctl_text("kernel.kptr_restrict", probes.sysctls.kptr_restrict) +
          ", " + paranoid_text(probes) + ": kernel frames have no names",
      {},
      {}};
  if (probes.sysctls.kptr_restrict.value_or(0) >= 2) {
    row.enable = {"sysctl -w kernel.kptr_restrict=0"};
  } else {
    row.capabilities = {"cap_syslog"};
    row.enable = grant(probes, row.capabilities, {"sysctl -w kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"});
  }
  return row;
}

DoctorRow memory_row(const Probes& probes) {
  const std::string cost = "0.8 to 1.9 us for each read of up to 4 KB; the target is never stopped";
  if (probes.memory.ok())
    return {"memory of processes", Health::Works, "process_vm_readv read a process that is no child of ours", {}, cost};
  DoctorRow row{
      "memory of processes", Health::Missing, "process_vm_readv: " + reason_of(probes.memory) + obstacles(probes), {}, cost};
  row.capabilities = {"cap_sys_ptrace"};
  if (const auto scope = probes.sysctls.ptrace_scope; scope.value_or(0) > 0) {
    row.health = *scope == 1 ? Health::Limited : Health::Missing;
    row.why += fmt::format("; kernel.yama.ptrace_scope = {}{}", *scope, *scope == 1 ? ": only commands that we start" : "");
    row.enable = grant(probes, {"cap_sys_ptrace"}, {"sysctl -w kernel.yama.ptrace_scope=0"});
  } else {
    row.enable = grant(probes, {"cap_sys_ptrace"});
  }
  return row;
}

DoctorRow other_users_row(const Probes& probes) {
  if (probes.other_users.ok())
    return {"processes of others",
            Health::Works,
            "mappings of a process of another user were read (" + probes.other_users.detail + ")",
            {},
            {}};
  if (probes.other_users.error == ESRCH && probes.has_ptrace)
    return {
        "processes of others", Health::Works, "cap_sys_ptrace; no process of another user runs now to try it on", {}, {}};
  return {"processes of others",
          Health::Missing,
          "processes of other users are not ours to look at: cap_sys_ptrace is needed for their symbols, cap_perfmon for "
          "samples",
          grant(probes, {"cap_perfmon", "cap_sys_ptrace"}),
          {},
          {"cap_perfmon", "cap_sys_ptrace"}};
}

DoctorRow map_files_row(const Probes& probes) {
  if (probes.map_files.ok())
    return {"replaced files", Health::Works, "/proc/PID/map_files opens programs that were deleted or replaced", {}, {}};
  return {"replaced files",
          Health::Limited,
          "/proc/PID/map_files: " + reason_of(probes.map_files) +
              ": of deleted or replaced files only the executable itself (/proc/PID/exe) has symbols",
          grant(probes, {"cap_checkpoint_restore"}),
          {}};
}

DoctorRow debuginfod_row(const std::string& urls) {
  const std::string cost = "a download for each binary, once; only when asked for, never while sampling";
  if (!urls.empty()) return {"debuginfod", Health::Works, "DEBUGINFOD_URLS is set (servers were not asked)", {}, cost};
  return {"debuginfod",
          Health::Missing,
          "DEBUGINFOD_URLS is not set: debug files of the system's packages are not fetched",
          {"export DEBUGINFOD_URLS=https://debuginfod.debian.net"},
          cost};
}

DoctorRow perf_map_row(const Probes& probes) {
  if (probes.perf_maps > 0)
    return {"perf maps of JITs", Health::Works, fmt::format("{} running processes write one", probes.perf_maps), {}, {}};
  return {"perf maps of JITs",
          Health::Limited,
          "no running process writes /tmp/perf-PID.map: code made at run time has no names",
          {"node --perf-basic-prof …", "DOTNET_PerfMapEnabled=1 …", "PYTHONPERFSUPPORT=1 python3 …"},
          {}};
}

DoctorRow rate_row(const Probes& probes) {
  const auto rate = probes.sysctls.perf_event_max_sample_rate;
  if (!rate)
    return {
        "sampling rate", Health::Missing, "kernel.perf_event_max_sample_rate is not there: a kernel without perf", {}, {}};
  DoctorRow row{"sampling rate", Health::Works, fmt::format("up to {} samples a second on each CPU", *rate), {}, {}};
  if (*rate < kUsefulRate) {
    row.health = Health::Limited;
    row.why += ": the kernel lowers it where samples took too long";
    row.enable = {"sysctl -w kernel.perf_event_max_sample_rate=100000"};
  }
  return row;
}

DoctorRow depth_row(const Probes& probes) {
  const auto depth = probes.sysctls.perf_event_max_stack;
  if (!depth) return {"stack depth", Health::Missing, "kernel.perf_event_max_stack is not there", {}, {}};
  DoctorRow row{"stack depth", Health::Works, fmt::format("up to {} frames", *depth), {}, {}};
  if (*depth >= 127) return row;
  row.health = Health::Limited;
  row.enable = {"sysctl -w kernel.perf_event_max_stack=127"};
  return row;
}

void add_perf_rows(std::vector<DoctorRow>& rows, const Probes& probes) {
  rows.push_back(perf_row(
      probes, "sampling", probes.perf_self, 2, "a cpu-clock event on ourselves was opened",
      "0.07 to 0.14 us of our CPU for each sample read; 0.8 % of a core at 999 Hz by perf -g, start and end included"));
  rows.push_back(perf_row(probes, "kernel stacks", probes.perf_kernel, 1, "the same event took in the kernel", ""));
  rows.push_back(perf_row(probes, "whole host", probes.perf_host, 0, "an event for every process on one CPU was opened",
                          "0.015 % of a core to read 2,118 samples a second"));
  DoctorRow ring = perf_row(probes, "ring buffers", probes.perf_ring, 2, "512 KiB were mapped", "512 KiB for each CPU");
  if (!probes.perf_ring.ok() && probes.perf_self.ok()) {
    ring.why = "512 KiB could not be mapped: " + reason_of(probes.perf_ring) + "; " +
               linux::sysctl_text("kernel.perf_event_mlock_kb", probes.sysctls.perf_event_mlock_kb);
    ring.capabilities = {"cap_ipc_lock"};
    ring.enable = grant(probes, ring.capabilities, {"sysctl -w kernel.perf_event_mlock_kb=2048"});
  }
  rows.push_back(std::move(ring));
  rows.push_back(perf_row(probes, "stack dumps", probes.perf_stack_dump, 2, "registers and 32 KiB of stack were accepted",
                          "for code without frame pointers: 8.5 KB a sample with dumps of 8 KiB"));
  rows.push_back(hardware_row(probes));
  rows.push_back(tracefs_row(probes));
  rows.push_back(tracepoint_row(probes));
}

void add_bpf_rows(std::vector<DoctorRow>& rows, const Probes& probes) {
  rows.push_back(bpf_row(probes, "eBPF maps", probes.bpf_map, "a hash map was made", ""));
  rows.push_back(
      bpf_row(probes, "eBPF programs", probes.bpf_program, "a sampling program was loaded",
              "2.4 us a sample with a stack of 12 frames, counted in the kernel; an empty program 0.05 to 0.07 us"));
  rows.push_back(bpf_row(probes, "eBPF ring buffer", probes.bpf_ring, "one was made", ""));
  rows.push_back(bpf_stats_row(probes));
  rows.push_back(btf_row(probes));
}

}  // namespace

// The capabilities as one command; inside a container they come from whoever starts it.
std::vector<std::string> grant(const Probes& probes, const std::vector<std::string>& capabilities,
                               std::vector<std::string> others) {
  std::string list;
  std::string flags;
  for (const std::string& name : capabilities) {
    list += (list.empty() ? "" : ",") + name;
    std::string upper = name.substr(4);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    flags += " --cap-add " + upper;
  }
  // Root that lacks a capability was started without it, as is everything in a user namespace: a file cannot give it back.
  const auto is_gainable = [&](const std::string& name) { return std::ranges::count(probes.gainable, name) > 0; };
  const bool can_gain =
      probes.uid != 0 && !probes.features.in_user_namespace && std::ranges::all_of(capabilities, is_gainable);
  if (can_gain) others.push_back("setcap " + list + "+ep " + probes.program);
  if (!can_gain)
    others.push_back("docker run" + flags + (probes.features.seccomp_mode == 2 ? " --security-opt seccomp=unconfined" : "") +
                     " …");
  return others;
}

std::vector<DoctorRow> rows_of(const linux::Probes& probes, const std::string& debuginfod_urls) {
  std::vector<DoctorRow> rows;
  add_perf_rows(rows, probes);
  add_bpf_rows(rows, probes);
  for (const DoctorRow& row :
       {kernel_symbols_row(probes), memory_row(probes), other_users_row(probes), map_files_row(probes), perf_map_row(probes),
        debuginfod_row(debuginfod_urls), rate_row(probes), depth_row(probes)})
    rows.push_back(row);
  return rows;
}

}  // namespace atys::verbs
