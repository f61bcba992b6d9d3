// SPDX-License-Identifier: Apache-2.0
// detect, doctor
#include <fmt/format.h>

#include "base/strings.h"
#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/screen.h"

namespace atys::present::text {

namespace {

constexpr size_t kLongLine = 240;

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

namespace {

constexpr size_t kWhyColumn = 30;
constexpr size_t kNarrow = 60;  // below, texts stand under what they are of

Tone tone_of(verbs::Health health) {
  return health == verbs::Health::Works ? Tone::Good : health == verbs::Health::Limited ? Tone::Doubtful : Tone::Bad;
}

// A sentence, in as many lines as the screen wants.
std::string sentence(const std::string& text) {
  return screen().columns == 0 ? text + "\n" : wrapped(text, 0, screen().columns);
}

// So that a long list can be broken into lines.
std::string spaced(std::string_view list) {
  std::string text;
  for (const char c : list) text.append(1, c).append(c == ',' ? " " : "");
  return text;
}

std::string check_lines(const verbs::DoctorRow& row) {
  const std::string health = to_string(row.health);
  const std::string head =
      toned(health, tone_of(row.health)) + std::string(9 - health.size(), ' ') + fmt::format("{:<20}", row.name);
  const size_t columns = screen().columns;
  const size_t indent = columns > 0 && columns < kNarrow ? 2 : kWhyColumn - 1;
  std::string text;
  if (columns == 0 || row.why.empty())
    text = head + " " + row.why + "\n";
  else if (columns < kNarrow)
    text = toned(health, tone_of(row.health)) + " " + row.name + "\n" + wrapped(row.why, indent, columns);
  else
    text = head + " " + wrapped(row.why, kWhyColumn, columns).substr(kWhyColumn);
  // Commands stay whole: they are there to be copied.
  for (size_t i = 0; i < row.enable.size(); ++i)
    text += fmt::format("{:{}} {} {}\n", "", indent, i == 0 ? "enable:" : "    or:", row.enable[i]);
  if (!row.cost.empty()) {
    const std::string cost = fmt::format("{:{}}   cost: {}\n", "", indent, row.cost);
    text += columns == 0 ? cost : wrapped("cost: " + row.cost, indent + 3, columns);
  }
  return text;
}

// Lines to be copied: whole, one engine below the other, in the order that they have.
std::string start_lines(const std::vector<linux::StartLine>& starts) {
  std::string text;
  for (const linux::StartLine& start : starts) {
    text += fmt::format("  {:<11} ", start.starter + ":");
    for (const char c : start.text) text += c == '\n' ? "\n" + std::string(14, ' ') : std::string(1, c);
    text += "\n";
  }
  return text;
}

std::string fix_lines(const verbs::DoctorAnswer& answer) {
  const verbs::DoctorFix& fix = answer.fix;
  if (fix.command.empty()) return {};
  const std::string gives = sentence("  gives: " + joined(fix.gives, ", "));
  if (!fix.starts.empty())
    return toned("fix first, where it is started:", Tone::Bold) + "\n" + start_lines(fix.starts) + gives;
  return toned(answer.user == "0" ? "fix first:" : "fix first, as root:", Tone::Bold) + " " + fix.command + "\n" + gives;
}

}  // namespace

std::string render(const verbs::DoctorAnswer& answer) {
  std::string text = sentence(answer.verdict);
  if (!answer.cause.empty()) text += sentence("cause: " + answer.cause);
  text += fix_lines(answer);
  text += "\n" + sentence(fmt::format("{}: {}, {} CPUs, user {}", name(answer.host), name(answer.kernel), answer.cpus,
                                      answer.user));
  text += sentence("capabilities: " + (screen().columns == 0 ? answer.capabilities : spaced(answer.capabilities)));
  if (!answer.container.empty()) text += sentence("in a container: " + name(answer.container));
  if (!answer.tier.empty()) text += sentence("capture uses tier " + answer.tier + ": " + answer.tier_why);
  text += answer.rows.empty() ? "" : "\n";
  for (const verbs::DoctorRow& row : answer.rows) text += check_lines(row);
  return text;
}

}  // namespace atys::present::text
