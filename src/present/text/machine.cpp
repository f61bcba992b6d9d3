// SPDX-License-Identifier: Apache-2.0
// detect, doctor
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

constexpr size_t kLongLine = 240;

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string line(std::string_view title, const std::string& value) { return fmt::format("  {:<12} {}\n", title, value); }

std::string symbols_of(const verbs::DetectAnswer::Process& found) {
  std::string text = found.is_stripped ? "stripped (names of exported functions only)" : "symbol table";
  if (found.has_debug_info) text += ", debug info (lines and inlined functions)";
  if (!found.debug_file.empty()) text += ", debug info in a separate file " + name(found.debug_file, 80);
  if (!found.build_id.empty()) text += ", build id " + name(found.build_id, 50);
  return text;
}

std::string namespaces_of(const verbs::DetectAnswer::Process& found) {
  std::vector<std::string> names;
  if (found.foreign.pid) names.push_back(fmt::format("pid (it calls itself {})", found.process.pid_in_namespace));
  if (found.foreign.mount) names.emplace_back("mount (its files are not ours)");
  if (found.foreign.user) names.emplace_back("user");
  if (found.foreign.net) names.emplace_back("net");
  return joined(names, ", ");
}

std::string render_process(const verbs::DetectAnswer::Process& found) {
  const auto& process = found.process;
  std::string text = fmt::format("{} {}\n", process.pid, name(process.comm, 40));
  if (!process.command_line.empty()) text += line("command", name(joined(process.command_line, " "), kLongLine));
  if (!process.executable.empty())
    text += line("executable",
                 name(process.executable, kLongLine) + (process.is_executable_deleted ? " (deleted or replaced)" : ""));
  text += line("kernel", found.kernel + ": " + found.why);
  for (const auto& runtime : found.runtimes) {
    text += line("runtime", name(runtime.name + (runtime.version.empty() ? "" : " " + runtime.version), 60) + ": " +
                                name(runtime.evidence, kLongLine));
    if (!runtime.limits.empty()) text += line("", runtime.limits);
  }
  if (found.is_readable) text += line("symbols", symbols_of(found));
  if (!found.perf_map_note.empty())
    text += line("perf map", (found.has_perf_map() ? "" : "refused: ") + name(found.perf_map_note));
  if (found.foreign.any()) text += line("namespaces", namespaces_of(found));
  if (process.cgroup.size() > 1) text += line("cgroup", name(process.cgroup, kLongLine));
  for (const std::string& note : found.notes) text += line("note", name(note, kLongLine));
  return text;
}

}  // namespace

std::string render(const verbs::DetectAnswer& answer) {
  std::string text;
  for (const auto& process : answer.processes) text += (text.empty() ? "" : "\n") + render_process(process);
  return text;
}

std::string render(const verbs::DoctorAnswer& answer) {
  std::string text =
      fmt::format("{}: {}, {} CPUs, user {}\n", name(answer.host), name(answer.kernel), answer.cpus, answer.user);
  text += "capabilities: " + answer.capabilities + "\n";
  if (!answer.container.empty()) text += "in a container: " + name(answer.container) + "\n";
  text += "\n";
  for (const verbs::DoctorRow& row : answer.rows) {
    text += fmt::format("{:<8} {:<20} {}\n", to_string(row.health), row.name, row.why);
    for (size_t i = 0; i < row.enable.size(); ++i)
      text += fmt::format("{:29} {} {}\n", "", i == 0 ? "enable:" : "    or:", row.enable[i]);
    if (!row.cost.empty()) text += fmt::format("{:29}   cost: {}\n", "", row.cost);
  }
  text += "\n" + (answer.tier.empty() ? "capture does not work here" : "capture uses tier " + answer.tier) + ": " +
          answer.tier_why + "\n";
  if (!answer.will_not_work.empty()) text += "does not work here: " + joined(answer.will_not_work, "; ") + "\n";
  return text;
}

}  // namespace atys::present::text
