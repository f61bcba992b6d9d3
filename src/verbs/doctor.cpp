// SPDX-License-Identifier: Apache-2.0
#include "verbs/doctor.h"

#include <cerrno>
#include <cstdlib>

#include "capture/profiling_kernel.h"
#include "verbs/doctor_rows.h"

namespace atys::verbs {

namespace {

using linux::Probes;

void choose_tier(DoctorAnswer& answer, const Probes& probes) {
  const bool has_bpf = probes.bpf_map.ok() && probes.bpf_program.ok() && probes.btf.ok() && probes.perf_self.ok();
  if (has_bpf) {
    answer.tier = "ebpf";
    answer.tier_why = "a BPF program on a timer of each CPU takes the stacks";
  } else if (probes.perf_self.ok() && probes.perf_ring.ok()) {
    answer.tier = "perf";
    answer.tier_why = "samples are read from rings of perf events; eBPF does not work here";
  } else {
    answer.tier_why = "no event can be opened";
  }
}

void list_what_fails(DoctorAnswer& answer, const Probes& probes) {
  auto& list = answer.will_not_work;
  if (answer.tier.empty()) list.emplace_back("capture");
  if (!probes.perf_host.ok()) list.emplace_back("capture --host");
  if (!probes.other_users.ok() && !(probes.other_users.error == ESRCH && probes.has_ptrace))
    list.emplace_back("processes of other users");
  if (answer.tier != "ebpf") list.emplace_back("off-cpu and wall (they need eBPF)");
  if (!probes.perf_kernel.ok()) list.emplace_back("stacks of the kernel");
  if (!probes.kernel_symbols.ok()) list.emplace_back("names of kernel functions");
  if (!probes.cycles.ok()) list.emplace_back("hardware events");
  if (!probes.tracepoint.ok()) list.emplace_back("tracepoints");
}

std::string kernel_names() {
  std::string names;
  for (const auto& kernel : capture::profiling_kernels()) names += (names.empty() ? "" : ", ") + std::string(kernel->name());
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
  answer.user = std::to_string(probes.uid);
  answer.capabilities = probes.capabilities;
  answer.container = probes.features.container;
  answer.rows = rows_of(probes, debuginfod_urls);
  choose_tier(answer, probes);
  list_what_fails(answer, probes);
  return answer;
}

Result<DoctorAnswer> doctor(const DoctorRequest& request) {
  if (!request.language.empty() && capture::find_kernel(request.language) == nullptr)
    return fail(ErrorCode::NotFound, "no profiling kernel is called '" + request.language + "'",
                "there are " + kernel_names());
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  DoctorAnswer answer = judge(linux::run_probes(), urls == nullptr ? "" : urls);
  if (!request.language.empty()) answer.rows.clear();
  for (const auto& kernel : capture::profiling_kernels())
    if (request.language.empty() || kernel->name() == request.language) add_needs(*kernel, answer.rows);
  return answer;
}

}  // namespace atys::verbs
