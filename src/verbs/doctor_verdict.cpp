// SPDX-License-Identifier: Apache-2.0
#include "verbs/doctor_verdict.h"

#include <algorithm>

#include "base/strings.h"
#include "verbs/doctor_rows.h"

namespace atys::verbs {

namespace {

// Rows whose absence is felt, in this order, and what is had with them.
struct Wanted {
  std::string_view row;
  std::string_view gives;
};
constexpr Wanted kWanted[] = {{"sampling", "tier perf"},
                              {"ring buffers", "tier perf"},
                              {"eBPF programs", "tier ebpf, exact waits"},
                              {"eBPF maps", "tier ebpf, exact waits"},
                              {"BTF", "tier ebpf, exact waits"},
                              {"whole host", "capture --host"},
                              {"processes of others", "processes of other users"},
                              {"kernel stacks", "stacks of the kernel"},
                              {"kernel symbols", "names of kernel functions"},
                              {"memory of processes", "frames of interpreted languages"},
                              {"tracefs", "tracepoints"},
                              {"tracepoints", "tracepoints"}};

void add_once(std::vector<std::string>& list, std::string_view word) {
  if (std::ranges::find(list, word) == list.end()) list.emplace_back(word);
}

struct Missing {
  const DoctorRow* row;
  std::string_view gives;
};

// With a fix, the most important first.
std::vector<Missing> missing_rows(const std::vector<DoctorRow>& rows) {
  std::vector<Missing> missing;
  for (const Wanted& wanted : kWanted)
    for (const DoctorRow& row : rows)
      if (row.name == wanted.row && row.health != Health::Works && !row.enable.empty())
        missing.push_back({&row, wanted.gives});
  return missing;
}

}  // namespace

std::string verdict_of(const DoctorAnswer& answer) {
  if (answer.tier.empty()) return "capture does not work here: " + answer.tier_why;
  if (answer.will_not_work.empty()) return "everything works here: capture uses tier " + answer.tier;
  std::string text = "capture works here, in tier " + answer.tier;
  if (!answer.works.empty()) text += ", with " + joined(answer.works);
  return text + "; not: " + joined(answer.will_not_work);
}

std::string language_verdict(const std::string& language, const DoctorAnswer& answer) {
  std::vector<std::string> missing;
  for (const DoctorRow& row : answer.rows)
    if (row.health != Health::Works) missing.push_back(row.name.substr(row.name.find(": ") + 2));
  if (answer.rows.empty()) return "captures of " + language + " need nothing besides; " + answer.verdict;
  if (missing.empty()) return "all that captures of " + language + " can use is here; " + answer.verdict;
  return "of what captures of " + language + " can use, there is no " + joined(missing) + "; " + answer.verdict;
}

DoctorFix fix_of(const std::vector<DoctorRow>& rows, const linux::Probes& probes) {
  const std::vector<Missing> missing = missing_rows(rows);
  if (missing.empty()) return {};
  linux::Allowance all{.needs_capability = false};
  std::vector<std::string> gives;
  for (const Missing& one : missing) {
    if (one.row->allowance.capabilities.empty()) continue;
    linux::add(all, one.row->allowance);
    add_once(gives, one.gives);
  }
  // Unless something else matters more than all that they give.
  if (all.capabilities.empty() || missing.front().row->allowance.capabilities.empty())
    return {missing.front().row->enable.front(), {std::string(missing.front().gives)}};
  DoctorFix fix{ways(probes, all).back(), gives};
  if (!linux::has_root_that(all, probes.around)) fix.starts = linux::start_lines(all, probes.around);
  return fix;
}

std::string cause_of(const std::vector<DoctorRow>& rows) {
  const auto why = [&](std::string_view name) {
    const auto row = std::ranges::find(rows, name, &DoctorRow::name);
    const bool is_refused = row != rows.end() && !row->causes.empty();
    return is_refused ? row->why.substr(std::string_view("refused: ").size()) : std::string();
  };
  const std::string perf = why("sampling");
  const std::string bpf = why("eBPF programs");
  const std::string filter = "a system-call filter (seccomp) refuses ";
  if (perf.starts_with(filter) && bpf.starts_with(filter))
    return filter + perf.substr(filter.size()) + (perf.find(';') == std::string::npos ? " and " : "; it refuses ") +
           bpf.substr(filter.size());
  return perf + (perf.empty() || bpf.empty() ? "" : "; eBPF: ") + bpf;
}

}  // namespace atys::verbs
