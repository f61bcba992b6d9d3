// SPDX-License-Identifier: Apache-2.0
// The rows of doctor: what each try means, and what to do about it.
#include "verbs/doctor_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "language/languages.h"

namespace atys::verbs {

namespace {

using linux::Attempt;
using linux::Probes;

constexpr int64_t kUsefulRate = 10'000;

bool is_refused(const Attempt& attempt) { return attempt.error == EACCES || attempt.error == EPERM; }

std::string reason_of(const Attempt& attempt) {
  return attempt.detail.empty() ? std::strerror(attempt.error) : attempt.detail;
}

// "AmbientCapabilities=… and SystemCallFilter=…"
std::string on_one_line(const linux::StartLine& line) {
  std::string text = line.text;
  if (const size_t end = text.find('\n'); end != std::string::npos) text.replace(end, 1, " and ");
  return text;
}

std::string paranoid_text(const Probes& probes) {
  return linux::sysctl_text("kernel.perf_event_paranoid", probes.around.sysctls.perf_event_paranoid);
}

// A try of a system call that failed: who refused it, and what would allow it.
void explain(DoctorRow& row, const Probes& probes, linux::RefusedCall refused) {
  const auto answer = probes.nonsense.find(refused.call);
  refused.nonsense = answer == probes.nonsense.end() ? 0 : answer->second;
  const linux::Refusal refusal = linux::explain(refused, probes.around);
  row.why = (refusal.causes.empty() ? "" : "refused: ") + refusal.why;
  row.causes = refusal.causes;
  row.allowance = linux::allowance_for(refusal, refused.call);
  if (!refusal.has(linux::Cause::Filter) && !refusal.sysctl.empty()) row.enable.push_back("sysctl -w " + refusal.sysctl);
  if (refusal.has(linux::Cause::LockedMemory)) row.enable.emplace_back("ulimit -l unlimited");
  if (!row.allowance.capabilities.empty() || !row.allowance.filtered.empty())
    row.enable = ways(probes, row.allowance, std::move(row.enable));
}

// An event of perf that is refused by kernel.perf_event_paranoid unless it is at most `level`.
DoctorRow perf_row(const Probes& probes, std::string name, const Attempt& attempt, int level, std::string works,
                   std::string cost) {
  if (attempt.ok()) return {std::move(name), Health::Works, std::move(works), {}, std::move(cost)};
  DoctorRow row{std::move(name), Health::Missing, {}, {}, std::move(cost)};
  explain(row, probes, {.call = linux::SystemCall::PerfEventOpen, .error = attempt.error, .most_paranoid = level});
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
  if (!probes.around.features.tracefs.empty())
    return {"tracefs", Health::Works, "mounted at " + probes.around.features.tracefs, {}, {}};
  if (!probes.around.features.knows_tracefs) return {"tracefs", Health::Missing, "this kernel was built without it", {}, {}};
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
  if (probes.around.features.tracefs.empty()) {
    row.why = "tracefs is not mounted";
    row.causes.clear();
    row.allowance = {};
    row.enable = tracefs_row(probes).enable;
  } else if (!probes.tracepoint.detail.empty()) {
    row.why = "tracefs may not be read: " + probes.tracepoint.detail;
    row.causes.clear();
    row.allowance = {};
    row.enable = {"mount -o remount,mode=755 " + probes.around.features.tracefs, "run as root"};
  }
  return row;
}

DoctorRow bpf_row(const Probes& probes, std::string name, const Attempt& attempt, std::string works, std::string cost) {
  if (attempt.ok()) return {std::move(name), Health::Works, std::move(works), {}, std::move(cost)};
  DoctorRow row{std::move(name), Health::Missing, {}, {}, std::move(cost)};
  explain(row, probes, {.call = linux::SystemCall::Bpf, .error = attempt.error});
  return row;
}

DoctorRow bpf_stats_row(const Probes& probes) {
  const std::string cost = "two clock reads for each run of a BPF program, of every program on the machine";
  if (probes.around.sysctls.bpf_stats_enabled.value_or(0) != 0)
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
  row.enable = ways(probes, {.capabilities = {"cap_sys_admin"}}, {"sysctl -w kernel.bpf_stats_enabled=1"});
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
  DoctorRow row{"kernel symbols",
                Health::Missing,
                "/proc/kallsyms shows no addresses: " +
                    linux::sysctl_text("kernel.kptr_restrict", probes.around.sysctls.kptr_restrict) + ", " +
                    paranoid_text(probes) + ": kernel frames have no names",
                {},
                {}};
  if (probes.around.sysctls.kptr_restrict.value_or(0) >= 2) {
    row.causes = {linux::Cause::Sysctl};
    row.enable = {"sysctl -w kernel.kptr_restrict=0"};
  } else {
    row.causes = {linux::Cause::Sysctl, linux::Cause::Capability};
    row.allowance = {.capabilities = {"cap_syslog"}};
    row.enable = ways(probes, row.allowance, {"sysctl -w kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"});
  }
  return row;
}

DoctorRow other_users_row(const Probes& probes) {
  const std::string& hidden = probes.around.features.hidden_processes;
  if (probes.other_users.ok())
    return {"processes of others",
            Health::Works,
            "mappings of a process of another user were read (" + probes.other_users.detail + ")",
            {},
            {}};
  const bool has_ptrace = linux::holds(probes.around, "cap_sys_ptrace");
  if (probes.other_users.error == ESRCH && has_ptrace && !probes.around.features.in_user_namespace)
    return {
        "processes of others", Health::Works, "cap_sys_ptrace; no process of another user runs now to try it on", {}, {}};
  DoctorRow row{"processes of others", Health::Missing, {}, {}, {}};
  row.why = hidden.empty() ? "processes of other users are not ours to look at: cap_sys_ptrace is needed for their symbols, "
                             "cap_perfmon for samples"
                           : "/proc hides processes of other users (" + hidden +
                                 "): cap_sys_ptrace is needed to see them, cap_perfmon for samples";
  if (probes.around.features.in_user_namespace)
    row.why += "; we are in a user namespace, whose capabilities do not count for the machine";
  row.causes = {probes.around.features.in_user_namespace ? linux::Cause::UserNamespace : linux::Cause::Capability};
  if (!hidden.empty()) row.causes.insert(row.causes.begin(), linux::Cause::HiddenProc);
  row.allowance = {.capabilities = {"cap_perfmon", "cap_sys_ptrace"}};
  row.enable = ways(probes, row.allowance);
  return row;
}

DoctorRow memory_row(const Probes& probes) {
  const std::string name = "memory of processes";
  const std::string cost = "0.8 to 1.9 us for each read of up to 4 KB; the target is never stopped";
  if (probes.memory.ok()) return {name, Health::Works, "process_vm_readv read a process that is no child of ours", {}, cost};
  if (probes.memory_file.ok())
    return {name, Health::Works, "/proc/PID/mem was read of a process that is no child of ours", {}, cost};
  DoctorRow row{name, probes.child_memory.ok() ? Health::Limited : Health::Missing, {}, {}, cost};
  explain(row, probes, {.call = linux::SystemCall::ProcessVmReadv, .error = probes.memory.error});
  if (probes.child_memory.ok()) row.why += "; commands that we start can be read";
  return row;
}

DoctorRow stop_row(const Probes& probes) {
  const std::string cost = "75 to 82 us of pause for each sample";
  if (probes.stop.ok())
    return {"stopping", Health::Works, "a child was stopped, its registers read, and it went on: tier stop", {}, cost};
  DoctorRow row{"stopping", Health::Missing, {}, {}, cost};
  explain(row, probes, {.call = linux::SystemCall::Ptrace, .error = probes.stop.error, .is_of_child = true});
  return row;
}

DoctorRow signal_row(const Probes& probes) {
  if (probes.signal.ok()) return {"signals", Health::Works, "one was queued to a thread of a child: tier signal", {}, {}};
  DoctorRow row{"signals", Health::Missing, {}, {}, {}};
  explain(row, probes, {.call = linux::SystemCall::SignalThread, .error = probes.signal.error});
  return row;
}

DoctorRow preload_row(const Probes& probes) {
  if (probes.preload.ok())
    return {"preloading", Health::Works, "a file in memory was mapped to be executed: tier signal", {}, {}};
  DoctorRow row{"preloading", Health::Missing, {}, {}, {}};
  explain(row, probes, {.call = linux::SystemCall::MemfdCreate, .error = probes.preload.error});
  return row;
}

DoctorRow map_files_row(const Probes& probes) {
  if (probes.map_files.ok())
    return {"replaced files", Health::Works, "/proc/PID/map_files opens programs that were deleted or replaced", {}, {}};
  return {"replaced files",
          Health::Limited,
          "/proc/PID/map_files: " + reason_of(probes.map_files) +
              ": of deleted or replaced files only the executable itself (/proc/PID/exe) has symbols",
          ways(probes, {.capabilities = {"cap_checkpoint_restore"}}),
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
  const language::Words fixes = language::words_of_all(&language::Language::writes_perf_map);
  return {"perf maps of JITs",
          Health::Limited,
          "no running process writes /tmp/perf-PID.map: code made at run time has no names",
          std::vector<std::string>(fixes.begin(), fixes.end()),
          {}};
}

DoctorRow rate_row(const Probes& probes) {
  const auto rate = probes.around.sysctls.perf_event_max_sample_rate;
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
  const auto depth = probes.around.sysctls.perf_event_max_stack;
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
               linux::sysctl_text("kernel.perf_event_mlock_kb", probes.around.sysctls.perf_event_mlock_kb);
    ring.allowance = {.capabilities = {"cap_ipc_lock"}};
    ring.enable = ways(probes, ring.allowance, {"sysctl -w kernel.perf_event_mlock_kb=2048"});
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

// Inside a container capabilities come from whoever starts it.
std::vector<std::string> ways(const Probes& probes, const linux::Allowance& allowance, std::vector<std::string> others) {
  if (!linux::has_root_that(allowance, probes.around)) {
    others.push_back(on_one_line(linux::start_line(allowance, probes.around)));
    return others;
  }
  if (!linux::can_be_given_to_file(allowance, probes.around)) {
    others.emplace_back("run as root");
    return others;
  }
  others.push_back("setcap " + joined(allowance.capabilities, ",") + "+ep " + probes.program);
  return others;
}

std::vector<DoctorRow> rows_of(const linux::Probes& probes, const std::string& debuginfod_urls) {
  std::vector<DoctorRow> rows;
  add_perf_rows(rows, probes);
  add_bpf_rows(rows, probes);
  for (const DoctorRow& row : {kernel_symbols_row(probes), memory_row(probes), stop_row(probes), signal_row(probes),
                               preload_row(probes), other_users_row(probes), map_files_row(probes), perf_map_row(probes),
                               debuginfod_row(debuginfod_urls), rate_row(probes), depth_row(probes)})
    rows.push_back(row);
  return rows;
}

}  // namespace atys::verbs
