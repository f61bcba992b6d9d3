// SPDX-License-Identifier: Apache-2.0
#include "capture/provenance.h"

#include <fmt/format.h>

#include <set>

#include "base/random.h"
#include "base/strings.h"
#include "linux/host.h"

namespace atys::capture {

namespace {

constexpr size_t kMostProcesses = 32;
constexpr size_t kMostPrograms = 8;
constexpr size_t kLongestCommandLine = 2000;
constexpr size_t kMostGrants = 200;

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (text.size() + word.size() > kLongestCommandLine) return text + " …";
    add_to_list(text, word, " ");
  }
  return text;
}

std::string random_id() {
  Result<std::string> id = random_bytes(16);
  return id.ok() ? id.take() : std::string();
}

std::string percent(double share) { return fmt::format("{:.3f}", share * 100); }

}  // namespace

void Provenance::note_process(pid_t pid) {
  if (processes_.size() >= kMostProcesses || processes_.contains(pid)) return;
  if (auto process = linux::read_process(pid); process.ok()) processes_.emplace(pid, process.take());
}

std::vector<pid_t> Provenance::processes() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, process] : processes_) pids.push_back(pid);
  return pids;
}

void Provenance::describe_processes(Profile& profile) const {
  for (const auto& [pid, process] : processes_) {
    const std::string command = process.command_line.empty() ? "[" + process.comm + "]" : command_text(process.command_line);
    profile.add_fact("process", fmt::format("{} {}", pid, command));
  }
}

void Provenance::describe_files(const native::CodeModules& modules, Profile& profile) const {
  std::set<std::string> programs;
  for (const auto& [pid, process] : processes_) programs.insert(process.executable);
  size_t described = 0;
  for (native::ModuleNumber i = native::kFirstFileModule; i < modules.size() && described < kMostPrograms; ++i) {
    symbolize::Module* module = modules.file(i);
    if (module == nullptr || !programs.contains(module->path())) continue;
    ++described;
    const auto sha = module->sha256();
    profile.add_fact("executable",
                     fmt::format("{} build-id:{} sha256:{}", module->path(),
                                 module->build_id().empty() ? "none" : module->build_id(), sha.ok() ? *sha : "unknown"));
  }
}

namespace {

// In what samples of a tier differ from where the time went.
std::string_view bias_of(std::string_view tier) {
  if (tier == "signal")
    return "a system call is seen where it ends, without frames of the kernel; threads that keep signals blocked are not "
           "seen";
  if (tier == "stop")
    return "a system call is seen where it ends, without frames of the kernel; each sample stops its thread for a moment";
  if (tier == "memory")
    return "frames of an interpreter are read while it runs on; threads that are ready count as running; no native frames "
           "but of waits";
  return {};
}

}  // namespace

void describe_recording(const RecordingPlan& plan, const std::string& tier, Profile& profile) {
  if (const auto bias = bias_of(tier); !bias.empty()) profile.add_fact("bias", std::string(bias));
  profile.header.id = profile.strings.intern(random_id());
  if (const auto host = linux::read_host(); host.ok()) {
    profile.add_fact("host", host->name);
    profile.add_fact("kernel", host->kernel_release);
    profile.add_fact("architecture", host->architecture);
    profile.add_fact("boot-id", host->boot_id);
    profile.add_fact("cpus", std::to_string(host->cpus.size()));
  }
  profile.add_fact("atys", ATYS_VERSION);
  profile.add_fact("target", describe(plan.target));
  profile.add_fact("kind", plan.kind.text());
  profile.add_fact("tier", tier);
  for (const auto& [key, value] : plan.labels) profile.add_fact("label " + key, value);
}

void describe_use(const RecordingPlan& plan, const RecordingUse& use, Profile& profile) {
  profile.add_fact("asked", fmt::format("{} Hz, overhead at most {} %", plan.hz, percent(plan.max_overhead)));
  std::string grants;
  const size_t first = use.grants.size() > kMostGrants ? use.grants.size() - kMostGrants : 0;
  for (size_t i = first; i < use.grants.size(); ++i)
    grants += fmt::format("{}{:.0f} Hz from {:.1f} s", grants.empty() ? "" : ", ", use.grants[i].hz,
                          static_cast<double>(use.grants[i].elapsed_ns) / 1e9);
  profile.add_fact("granted", grants);
  profile.add_fact("overhead-percent", percent(use.overhead));
  profile.add_fact("setup-cpu-ns", std::to_string(use.setup_cpu_ns));
  profile.add_fact("own-cpu-ns", std::to_string(use.own_cpu_ns));
  profile.add_fact("first-looks-cpu-ns", std::to_string(use.first_looks_cpu_ns));
  profile.add_fact("kernel-cpu-ns", std::to_string(use.kernel_cpu_ns));
  profile.add_fact("finish-cpu-ns", std::to_string(use.finish_cpu_ns));
  profile.add_fact("target-cpu-ns", std::to_string(use.target_cpu_ns));
  profile.add_fact("peak-memory-bytes", std::to_string(use.peak_bytes));
  profile.overhead.cpu_ns = static_cast<int64_t>(use.setup_cpu_ns + use.own_cpu_ns + use.first_looks_cpu_ns +
                                                 use.kernel_cpu_ns + use.finish_cpu_ns);
  profile.overhead.bytes = static_cast<int64_t>(use.peak_bytes);
}

}  // namespace atys::capture
