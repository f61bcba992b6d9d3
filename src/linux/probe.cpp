// SPDX-License-Identifier: Apache-2.0
#include "linux/probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/strings.h"
#include "base/unique_fd.h"
#include "linux/deadly_filter.h"
#include "linux/namespaces.h"
#include "linux/perf_map.h"
#include "linux/proc_file.h"
#include "linux/proc_maps.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

namespace {

constexpr size_t kRingPages = 128;
constexpr uint32_t kStackDump = 32768;

Attempt attempt(bool worked, std::string detail = {}) { return {worked ? 0 : errno, std::move(detail)}; }

perf_event_attr clock_event() {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.sample_period = 10'000'000;  // never reached: it is opened disabled
  event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
  event.disabled = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  return event;
}

UniqueFd open_event(perf_event_attr event, pid_t pid, int cpu) {
  errno = EPERM;
  if (!is_survivable(SystemCall::PerfEventOpen)) return {};
  return UniqueFd(static_cast<int>(::syscall(SYS_perf_event_open, &event, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

Attempt try_event(const perf_event_attr& event, pid_t pid = 0, int cpu = -1) {
  return attempt(open_event(event, pid, cpu).is_open());
}

Attempt try_ring() {
  const UniqueFd event = open_event(clock_event(), 0, -1);
  if (!event.is_open()) return attempt(false);
  const size_t size = (kRingPages + 1) * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* ring = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
  if (ring == MAP_FAILED) return attempt(false);
  ::munmap(ring, size);
  return {};
}

Attempt try_stack_dump() {
  perf_event_attr event = clock_event();
  event.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  event.sample_regs_user = 1;  // the first register exists on every architecture
  event.sample_stack_user = kStackDump;
  return try_event(event);
}

Attempt try_cycles(unsigned precise) {
  perf_event_attr event = clock_event();
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  event.precise_ip = precise & 3;
  return try_event(event);
}

// Needs the number of the tracepoint, which only tracefs knows.
Attempt try_tracepoint(const std::string& tracefs) {
  if (tracefs.empty()) return {ENOENT, "tracefs is not mounted"};
  const auto number = read_proc_file(tracefs + "/events/sched/sched_switch/id");
  if (!number.ok()) return {number.error().code == ErrorCode::PermissionDenied ? EACCES : ENOENT, number.error().message};
  perf_event_attr event = clock_event();
  event.type = PERF_TYPE_TRACEPOINT;
  event.config = parse_number<uint64_t>(*number).value_or(0);
  event.exclude_kernel = 0;
  event.sample_period = 1;
  return try_event(event);
}

int call_bpf(int command, bpf_attr& attributes) {
  errno = EPERM;
  if (!is_survivable(SystemCall::Bpf)) return -1;
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

Attempt try_bpf_map(uint32_t type, uint32_t key, uint32_t value, uint32_t entries) {
  bpf_attr attributes{};
  attributes.map_type = type;
  attributes.key_size = key;
  attributes.value_size = value;
  attributes.max_entries = entries;
  return attempt(UniqueFd(call_bpf(BPF_MAP_CREATE, attributes)).is_open());
}

// r0 = 0; exit
Attempt try_bpf_program() {
  bpf_insn instructions[2]{};
  instructions[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  instructions[1].code = BPF_JMP | BPF_EXIT;
  constexpr char kLicence[] = "Dual MIT/GPL";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_PERF_EVENT;
  attributes.insn_cnt = 2;
  attributes.insns = reinterpret_cast<uint64_t>(instructions);
  attributes.license = reinterpret_cast<uint64_t>(kLicence);
  return attempt(UniqueFd(call_bpf(BPF_PROG_LOAD, attributes)).is_open());
}

Attempt try_bpf_stats() {
  bpf_attr attributes{};
  attributes.enable_stats.type = BPF_STATS_RUN_TIME;
  return attempt(UniqueFd(call_bpf(BPF_ENABLE_STATS, attributes)).is_open());
}

// Without permission every address reads as 0.
Attempt try_kernel_symbols() {
  const UniqueFd fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return attempt(false);
  char text[4096];
  const ssize_t got = ::read(fd.get(), text, sizeof text);
  if (got <= 0) return {ENODATA, "empty"};
  bool has_address = false;
  for_each_line({text, static_cast<size_t>(got)}, [&](std::string_view line) {
    const auto words = words_of(line);
    has_address |= words.size() > 2 && words[0].find_first_not_of('0') != std::string_view::npos;
  });
  return {has_address ? 0 : EPERM, {}};
}

Attempt try_other_users(uint32_t uid) {
  for (const pid_t pid : list_processes()) {
    const auto process = read_process(pid);
    if (!process.ok() || process->uid == uid || process->command_line.empty()) continue;
    const auto maps = read_maps(pid);
    if (maps.ok()) return {0, "process " + std::to_string(pid)};
    if (maps.error().code == ErrorCode::PermissionDenied) return {EACCES, "process " + std::to_string(pid)};
  }
  return {ESRCH, {}};
}

Attempt try_map_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir("/proc/self/map_files"), ::closedir);
  if (stream == nullptr) return attempt(false);
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_name[0] == '.') continue;
    return attempt(UniqueFd(::openat(::dirfd(stream.get()), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)).is_open());
  }
  return {ENOENT, {}};
}

size_t count_perf_maps() {
  const std::vector<pid_t> processes = list_processes();
  return static_cast<size_t>(std::ranges::count_if(processes, has_perf_map));
}

void try_events(Probes& probes) {
  perf_event_attr with_kernel = clock_event();
  with_kernel.exclude_kernel = 0;
  probes.perf_self = try_event(clock_event());
  probes.perf_kernel = try_event(with_kernel);
  probes.perf_host = try_event(with_kernel, -1, probes.host.cpus.empty() ? 0 : probes.host.cpus.front());
  probes.perf_ring = try_ring();
  probes.perf_stack_dump = try_stack_dump();
  probes.cycles = try_cycles(0);
  probes.precise_cycles = try_cycles(2);
  probes.tracepoint = try_tracepoint(probes.around.features.tracefs);
}

void describe_ourselves(Probes& probes) {
  probes.around = look_around();
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  probes.program = length > 0 ? std::string(path, static_cast<size_t>(length)) : "atys";
  probes.capabilities = joined(probes.around.held, ",");
  if (probes.capabilities.empty()) probes.capabilities = "none";
  for (const SystemCall call : {SystemCall::PerfEventOpen, SystemCall::Bpf, SystemCall::ProcessVmReadv, SystemCall::Ptrace,
                                SystemCall::MemfdCreate, SystemCall::SignalThread})
    probes.nonsense[call] = answer_to_nonsense(call);
}

void try_without_rights(Probes& probes) {
  probes.memory = try_memory();
  probes.memory_file = try_memory_file();
  probes.child_memory = try_child_memory();
  probes.stop = try_stop();
  probes.signal = try_signal();
  probes.preload = try_preload();
}

}  // namespace

std::string sysctl_text(const std::string& name, const std::optional<int64_t>& value) {
  return name + (value ? " = " + std::to_string(*value) : " is not there");
}

Probes run_probes() {
  Probes probes;
  if (auto host = read_host(); host.ok()) probes.host = host.take();
  describe_ourselves(probes);
  try_events(probes);
  probes.bpf_map = try_bpf_map(BPF_MAP_TYPE_HASH, 4, 8, 16);
  probes.bpf_ring = try_bpf_map(BPF_MAP_TYPE_RINGBUF, 0, 0, static_cast<uint32_t>(::sysconf(_SC_PAGESIZE)));
  probes.bpf_program = try_bpf_program();
  probes.bpf_stats = try_bpf_stats();
  errno = ENOENT;
  probes.btf = attempt(probes.around.features.has_btf);
  probes.kernel_symbols = try_kernel_symbols();
  try_without_rights(probes);
  probes.other_users = try_other_users(probes.around.uid);
  probes.map_files = try_map_files();
  probes.perf_maps = count_perf_maps();
  return probes;
}

}  // namespace atys::linux
