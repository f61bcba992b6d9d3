// SPDX-License-Identifier: Apache-2.0
#include "verbs/doctor.h"

#include <cerrno>
#include <cstdlib>

#include "base/nearest.h"
#include "base/strings.h"
#include "capture/profiling_kernel.h"
#include "profile/kinds.h"
#include "verbs/doctor_rows.h"
#include "verbs/doctor_verdict.h"

namespace atys::verbs {

namespace {

using linux::Probes;

// What the kernel grants everybody: on commands that we start, or on memory that is ours to read.
void choose_rightless_tier(DoctorAnswer& answer, const Probes& probes) {
  if (probes.signal.ok() && probes.preload.ok()) {
    answer.tier = "signal";
    answer.tier_why = "commands that we start take their own stacks when a signal asks for it";
  } else if (probes.stop.ok()) {
    answer.tier = "stop";
    answer.tier_why = "commands that we start are stopped for a moment for each sample";
  } else if (probes.child_memory.ok()) {
    answer.tier = "memory";
    answer.tier_why = "frames of interpreted languages are read from outside, native ones are not";
  } else {
    answer.tier_why = "no event can be opened, no signal sent, no thread stopped and no memory read";
  }
}

void choose_tier(DoctorAnswer& answer, const Probes& probes) {
  const bool has_bpf = probes.bpf_map.ok() && probes.bpf_program.ok() && probes.btf.ok() && probes.perf_self.ok();
  if (has_bpf) {
    answer.tier = "ebpf";
    answer.tier_why = "a BPF program on a timer of each CPU takes the stacks";
  } else if (probes.perf_self.ok() && probes.perf_ring.ok()) {
    answer.tier = "perf";
    answer.tier_why = "samples are read from rings of perf events; eBPF does not work here";
  } else {
    choose_rightless_tier(answer, probes);
  }
}

bool waits(const profile::KindRow& kind) { return kind.waits; }

void list_what_works(DoctorAnswer& answer, const Probes& probes) {
  const bool has_others =
      probes.other_users.ok() || (probes.other_users.error == ESRCH && linux::holds(probes.around, "cap_sys_ptrace") &&
                                  !probes.around.features.in_user_namespace);
  const auto list = [&](bool works, const std::string& name, const char* why_not = "") {
    if (works)
      answer.works.emplace_back(name);
    else
      answer.will_not_work.push_back(name + why_not);
  };
  const bool is_rightless = answer.tier != "ebpf" && answer.tier != "perf";
  if (answer.tier.empty()) answer.will_not_work.emplace_back("capture");
  if (!answer.tier.empty() && is_rightless) answer.will_not_work.emplace_back("native frames of processes that run already");
  list(probes.perf_host.ok(), "capture --host");
  list(has_others, "processes of other users");
  list(!answer.tier.empty(), profile::listed_kinds(waits, " and "));
  list(probes.perf_kernel.ok(), "stacks of the kernel");
  list(probes.kernel_symbols.ok(), "names of kernel functions");
  list(probes.cycles.ok(), "hardware events");
  list(probes.tracepoint.ok(), "tracepoints");
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& kernel : capture::profiling_kernels()) names.emplace_back(kernel->name());
  return names;
}

// What is outside of us and a kernel can use.
void add_needs(const capture::ProfilingKernel& kernel, std::vector<DoctorRow>& rows) {
  for (const capture::KernelNeed& need : kernel.needs()) {
    DoctorRow row{.name = std::string(kernel.name()) + ": " + need.name, .why = need.detail};
    row.health = need.works ? Health::Works : Health::Missing;
    if (!need.fix.empty()) row.enable.push_back(need.fix);
    rows.push_back(std::move(row));
  }
}

}  // namespace

const char* to_string(Health health) {
  switch (health) {
    case Health::Works: return "works";
    case Health::Limited: return "limited";
    case Health::Missing: return "missing";
  }
  return "missing";
}

DoctorAnswer judge(const linux::Probes& probes, const std::string& debuginfod_urls) {
  DoctorAnswer answer;
  answer.host = probes.host.name;
  answer.kernel = "Linux " + probes.host.kernel_release + " " + probes.host.architecture;
  answer.cpus = probes.host.cpus.size();
  answer.user = std::to_string(probes.around.uid);
  answer.capabilities = probes.capabilities;
  answer.container = probes.around.features.container;
  answer.rows = rows_of(probes, debuginfod_urls);
  choose_tier(answer, probes);
  list_what_works(answer, probes);
  answer.verdict = verdict_of(answer);
  answer.cause = cause_of(answer.rows);
  answer.fix = fix_of(answer.rows, probes);
  return answer;
}

Result<DoctorAnswer> doctor(const DoctorRequest& request) {
  if (!request.language.empty() && capture::find_kernel(request.language) == nullptr)
    return fail(ErrorCode::NotFound, "no profiling kernel is called '" + request.language + "'",
                did_you_mean(request.language, kernel_names(), "there are " + joined(kernel_names())));
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  DoctorAnswer answer = judge(linux::run_probes(), urls == nullptr ? "" : urls);
  if (!request.language.empty()) answer.rows.clear();
  for (const auto& kernel : capture::profiling_kernels())
    if (request.language.empty() || kernel->name() == request.language) add_needs(*kernel, answer.rows);
  if (request.language.empty()) return answer;
  answer.verdict = language_verdict(request.language, answer);
  // Who asks about a language wants that first.
  for (const DoctorRow& row : answer.rows)
    if (row.health != Health::Works && !row.enable.empty()) answer.fix = {row.enable.front(), {row.name}};
  return answer;
}

}  // namespace atys::verbs
