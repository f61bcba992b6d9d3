// SPDX-License-Identifier: Apache-2.0
#include "fleet/busiest.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>

namespace atys::fleet {

namespace {

// Programs whose name says nothing of what they do.
constexpr std::array<std::string_view, 10> kInterpreters{"python", "java", "node", "nodejs", "ruby",
                                                         "php",    "perl", "bash", "sh",     "dotnet"};

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// "python3.11" is python
bool is_interpreter(std::string_view program) {
  while (!program.empty() && (std::isdigit(static_cast<unsigned char>(program.back())) != 0 || program.back() == '.'))
    program.remove_suffix(1);
  return std::find(kInterpreters.begin(), kInterpreters.end(), program) != kInterpreters.end();
}

// Options of Java that take the next word.
bool takes_a_word(std::string_view option) {
  return option == "-cp" || option == "-classpath" || option == "--class-path" || option == "-p" ||
         option == "--module-path" || option == "-X" || option == "-W" || option == "--require" || option == "-r";
}

// The script, the jar or the class; empty: none is named.
std::string_view what_it_runs(const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if ((word == "-m" || word == "-jar" || word == "--module") && i + 1 < words.size()) return words[i + 1];
    if (word == "-c" || word == "-e") return {};
    if (takes_a_word(word))
      ++i;
    else if (!word.starts_with('-'))
      return word;
  }
  return {};
}

// Quotes of a rule have no escapes: one kind of quotation mark stands within the other.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"')
      out += "\"'\"'\"";
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace

BusyService service_of(const linux::ProcessInfo& process) {
  BusyService service;
  const std::string_view program = base_name(process.executable.empty() ? process.comm : process.executable);
  const std::string_view runs = is_interpreter(program) ? what_it_runs(process.command_line) : std::string_view{};
  if (runs.empty()) {
    service.name = std::string(program);
    service.rule = process.executable.empty() ? quoted(process.comm) : "exe=" + quoted(process.executable);
    return service;
  }
  service.name = std::string(base_name(runs));
  service.rule = "exe=" + quoted(std::string(program)) + " command~" + quoted(re2::RE2::QuoteMeta(std::string(runs)));
  return service;
}

std::vector<BusyService> busiest(std::span<const linux::ProcessInfo> before, std::span<const linux::ProcessInfo> after,
                                 uint64_t elapsed_ns) {
  std::map<std::pair<pid_t, uint64_t>, uint64_t> used;
  for (const linux::ProcessInfo& process : before) used[{process.pid, process.start_time_ticks}] = process.cpu_time_ns;
  std::map<std::string, BusyService> services;
  for (const linux::ProcessInfo& process : after) {
    if (process.command_line.empty()) continue;
    BusyService one = service_of(process);
    BusyService& all = services.try_emplace(one.rule, one).first->second;
    const auto found = used.find({process.pid, process.start_time_ticks});
    const uint64_t since = found == used.end() ? 0 : found->second;
    all.cores += static_cast<double>(process.cpu_time_ns - std::min(since, process.cpu_time_ns)) /
                 static_cast<double>(std::max<uint64_t>(1, elapsed_ns));
    ++all.processes;
  }
  std::vector<BusyService> order;
  for (auto& [rule, service] : services) order.push_back(std::move(service));
  std::stable_sort(order.begin(), order.end(), [](const BusyService& a, const BusyService& b) { return a.cores > b.cores; });
  return order;
}

std::vector<linux::ProcessInfo> look_at_processes() {
  std::vector<linux::ProcessInfo> all;
  for (const pid_t pid : linux::list_processes())
    if (Result<linux::ProcessInfo> process = linux::read_process(pid); process.ok()) all.push_back(process.take());
  return all;
}

}  // namespace atys::fleet
