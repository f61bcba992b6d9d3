// SPDX-License-Identifier: Apache-2.0
#include "linux/capabilities.h"

#include <linux/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "linux/proc_file.h"
#include "linux/proc_text.h"

namespace atys::linux {

namespace {

// By number, from <linux/capability.h>.
constexpr std::array kNames = {
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
};
static_assert(kNames.size() == CAP_CHECKPOINT_RESTORE + 1);

std::string container_hint() {
  for (const char* file : {"/.dockerenv", "/run/.containerenv"})
    if (::access(file, F_OK) == 0) return file;
  const auto environment = read_proc_file("/proc/1/environ", size_t{8} << 20);
  if (!environment.ok()) return {};
  for (const std::string& variable : split_zero_ended(*environment))
    if (variable.starts_with("container=")) return variable + " in the environment of process 1";
  return {};
}

// Who started us decides how more is allowed.
std::string find_starter(const std::string& container) {
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return "kubernetes";
  if (container == "/run/.containerenv" || container.starts_with("container=podman")) return "podman";
  if (container == "/.dockerenv") return "docker";
  return container.empty() && std::getenv("INVOCATION_ID") != nullptr ? "systemd" : "";
}

bool lists_file_system(std::string_view file_systems, std::string_view type) {
  bool found = false;
  for_each_line(file_systems, [&](std::string_view line) {
    const auto words = words_of(line);
    found |= !words.empty() && words.back() == type;
  });
  return found;
}

}  // namespace

std::string capability_name(int capability) {
  if (capability >= 0 && static_cast<size_t>(capability) < kNames.size())
    return std::string("cap_") + kNames[static_cast<size_t>(capability)];
  return "cap_" + std::to_string(capability);
}

Result<Capabilities> Capabilities::parse(std::string_view status, std::string_view set) {
  const auto bits = parse_number<uint64_t>(value_of(status, set), 16);
  if (!bits) return fail(ErrorCode::InvalidInput, "a status file without capabilities");
  return Capabilities(*bits);
}

Result<Capabilities> Capabilities::of_ourselves(std::string_view set) {
  return parse(TRY(read_proc_file("/proc/self/status")), set);
}

std::vector<std::string> Capabilities::names() const {
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i)
    if (has(i)) names.push_back(capability_name(i));
  return names;
}

std::optional<KernelVersion> parse_kernel_version(std::string_view release) {
  KernelVersion version;
  const std::array numbers = {&version.major, &version.minor, &version.patch};
  size_t read = 0;
  for (int* number : numbers) {
    const auto [end, error] = std::from_chars(release.data(), release.data() + release.size(), *number);
    if (error != std::errc{}) break;
    ++read;
    release.remove_prefix(static_cast<size_t>(end - release.data()));
    if (!release.starts_with('.')) break;
    release.remove_prefix(1);
  }
  if (read < 2) return {};
  return version;
}

std::optional<KernelVersion> kernel_version() {
  utsname names{};
  if (::uname(&names) != 0) return {};
  return parse_kernel_version(names.release);
}

std::optional<int64_t> read_sysctl(const std::string& name) {
  const auto text = read_proc_file("/proc/sys/" + name);
  return text.ok() ? parse_number<int64_t>(*text) : std::nullopt;
}

Sysctls read_sysctls() {
  return {
      .perf_event_paranoid = read_sysctl("kernel/perf_event_paranoid"),
      .kptr_restrict = read_sysctl("kernel/kptr_restrict"),
      .perf_event_max_sample_rate = read_sysctl("kernel/perf_event_max_sample_rate"),
      .perf_event_max_stack = read_sysctl("kernel/perf_event_max_stack"),
      .perf_event_mlock_kb = read_sysctl("kernel/perf_event_mlock_kb"),
      .unprivileged_bpf_disabled = read_sysctl("kernel/unprivileged_bpf_disabled"),
      .bpf_stats_enabled = read_sysctl("kernel/bpf_stats_enabled"),
      .ptrace_scope = read_sysctl("kernel/yama/ptrace_scope"),
  };
}

Lockdown parse_lockdown(std::string_view text) {
  if (text.find("[confidentiality]") != std::string_view::npos) return Lockdown::Confidentiality;
  return text.find("[integrity]") != std::string_view::npos ? Lockdown::Integrity : Lockdown::None;
}

std::string find_mount(std::string_view mountinfo, std::string_view type) {
  std::string mount;
  for_each_line(mountinfo, [&](std::string_view line) {
    const auto words = words_of(line);
    const auto dash = std::ranges::find(words, "-");
    if (mount.empty() && words.size() > 6 && words.end() - dash > 1 && *(dash + 1) == type) mount = words[4];
  });
  return mount;
}

std::string find_hidepid(std::string_view mountinfo) {
  std::string option;
  for_each_line(mountinfo, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() < 7 || words[4] != "/proc") return;
    option.clear();  // one mount lies on another
    std::string_view options = words.back();
    while (!options.empty()) {
      const size_t comma = std::min(options.find(','), options.size());
      if (options.starts_with("hidepid=")) option = options.substr(0, comma);
      options.remove_prefix(std::min(comma + 1, options.size()));
    }
  });
  return option == "hidepid=0" || option == "hidepid=off" ? std::string() : option;
}

bool is_initial_uid_map(std::string_view uid_map) {
  const auto words = words_of(uid_map);
  return words.size() == 3 && words[0] == "0" && words[1] == "0" && words[2] == "4294967295";
}

KernelFeatures read_kernel_features() {
  KernelFeatures features;
  const auto text_of = [](const char* path) {
    auto text = read_proc_file(path);
    return text.ok() ? text.take() : std::string();
  };
  features.has_btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  const std::string mounts = text_of("/proc/self/mountinfo");
  features.tracefs = find_mount(mounts, "tracefs");
  features.hidden_processes = find_hidepid(mounts);
  features.knows_tracefs = lists_file_system(text_of("/proc/filesystems"), "tracefs");
  features.lockdown = parse_lockdown(text_of("/sys/kernel/security/lockdown"));
  features.security_modules = text_of("/sys/kernel/security/lsm");
  std::erase(features.security_modules, '\n');
  const std::string status = text_of("/proc/self/status");
  features.seccomp_mode = parse_number<int>(value_of(status, "Seccomp")).value_or(0);
  features.no_new_privileges = value_of(status, "NoNewPrivs") == "1";
  const std::string uid_map = text_of("/proc/self/uid_map");
  features.in_user_namespace = !uid_map.empty() && !is_initial_uid_map(uid_map);
  features.container = container_hint();
  features.starter = find_starter(features.container);
  return features;
}

}  // namespace atys::linux
