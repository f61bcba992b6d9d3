// SPDX-License-Identifier: Apache-2.0
// What we are permitted to do here, and what the kernel says about itself. Only looks; `doctor` tries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::linux {

// The capabilities of a process. Numbers are those of <linux/capability.h>: CAP_PERFMON, CAP_BPF …
class Capabilities {
 public:
  // Of the text of /proc/PID/status; `set` is one of CapEff, CapPrm, CapBnd …
  static Result<Capabilities> parse(std::string_view status, std::string_view set = "CapEff");
  static Result<Capabilities> of_ourselves(std::string_view set = "CapEff");

  bool has(int capability) const { return capability >= 0 && capability < 64 && (bits_ >> capability & 1) != 0; }
  // "cap_perfmon", in the order of their numbers; those without a name here are "cap_NUMBER".
  std::vector<std::string> names() const;

 private:
  explicit Capabilities(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

std::string capability_name(int capability);

struct KernelVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const KernelVersion&) const = default;
};
// "6.1.0-18-amd64" → 6.1.0
std::optional<KernelVersion> parse_kernel_version(std::string_view release);
std::optional<KernelVersion> kernel_version();

// The number in /proc/sys/NAME ("kernel/perf_event_paranoid"); nothing where there is no such file or it is hidden.
std::optional<int64_t> read_sysctl(const std::string& name);

struct Sysctls {
  std::optional<int64_t> perf_event_paranoid;
  std::optional<int64_t> kptr_restrict;
  std::optional<int64_t> perf_event_max_sample_rate;
  std::optional<int64_t> perf_event_max_stack;
  std::optional<int64_t> perf_event_mlock_kb;
  std::optional<int64_t> unprivileged_bpf_disabled;
  std::optional<int64_t> bpf_stats_enabled;
  std::optional<int64_t> ptrace_scope;  // of Yama
};
Sysctls read_sysctls();

enum class Lockdown { None, Integrity, Confidentiality };
// "none [integrity] confidentiality"
Lockdown parse_lockdown(std::string_view text);

struct KernelFeatures {
  bool has_btf = false;        // /sys/kernel/btf/vmlinux can be read
  std::string tracefs;         // where it is mounted; empty: nowhere
  bool knows_tracefs = false;  // could be mounted
  Lockdown lockdown = Lockdown::None;
  int seccomp_mode = 0;            // of ourselves: 0 none, 1 strict, 2 filter
  bool in_user_namespace = false;  // our capabilities do not count for the machine
  std::string container;           // what says that we are in one: "/.dockerenv"; empty: nothing
  std::string starter;             // of what we are in: "docker", "podman", "kubernetes", "systemd"; empty: not known
  bool no_new_privileges = false;  // files give us no capability
  std::string hidden_processes;    // how /proc hides those of others, "hidepid=2"; empty: it does not
  std::string security_modules;    // of the kernel: "capability,yama,selinux"
};
KernelFeatures read_kernel_features();

// Where a file system of that type is mounted, by /proc/self/mountinfo; empty: nowhere.
std::string find_mount(std::string_view mountinfo, std::string_view type);
// The option by which /proc hides processes of others, of the mount that counts; empty: none.
std::string find_hidepid(std::string_view mountinfo);
// Whether /proc/self/uid_map is that of the first user namespace.
bool is_initial_uid_map(std::string_view uid_map);

}  // namespace atys::linux
