// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/candidates.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "base/strings.h"
#include "base/utc_time.h"
#include "base/utf8.h"
#include "budget/ledger.h"
#include "capture/profiling_kernel.h"
#include "linux/event_names.h"
#include "linux/process.h"
#include "profile/kinds.h"
#include "store/library.h"
#include "verbs/ledger.h"
#include "verbs/profiles/fleet_answers.h"

namespace atys::verbs {

namespace {

constexpr size_t kMost = 2000;
constexpr size_t kLongestText = 60;
constexpr size_t kMostRead = 20;               // profiles that are opened to say of what they are
constexpr int64_t kMostBytesRead = 1'000'000;  // of one of them

std::string bounded(std::string_view text) {
  std::string line = printable(text.substr(0, 4 * kLongestText));
  if (line.size() <= kLongestText) return line;
  size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  return line.substr(0, end) + "…";
}

std::string command_of(const linux::ProcessInfo& process) {
  if (process.command_line.empty()) return "[" + process.comm + "]";
  std::string text;
  for (const std::string& word : process.command_line) {
    if (text.size() > kLongestText) break;
    add_to_list(text, word, " ");
  }
  return text;
}

// Threads of the kernel have no code of their own to profile.
template <typename Use>
void for_each_process(const Use& use) {
  for (const pid_t pid : linux::list_processes()) {
    const auto process = linux::read_process(pid);
    if (process.ok() && process->state != 'Z' && !process->command_line.empty() && pid != ::getpid()) use(*process);
  }
}

std::vector<Candidate> processes() {
  std::vector<Candidate> found;
  for_each_process([&](const linux::ProcessInfo& process) {
    found.push_back({std::to_string(process.pid), process.comm + ": " + command_of(process)});
  });
  return found;
}

std::string counted(size_t processes) { return std::to_string(processes) + (processes == 1 ? " process" : " processes"); }

// By the names that a rule takes: of the process, of its executable, of its unit.
std::vector<Candidate> services() {
  std::map<std::string, size_t> names;
  for_each_process([&](const linux::ProcessInfo& process) {
    std::vector<std::string> own = {process.comm, std::filesystem::path(process.executable).filename().string()};
    if (const std::string unit = std::filesystem::path(process.cgroup).filename().string(); unit.ends_with(".service"))
      own.push_back(unit);
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const std::string& name : own)
      if (!name.empty()) ++names[name];
  });
  std::vector<Candidate> found;
  for (const auto& [name, count] : names) found.push_back({name, counted(count)});
  return found;
}

std::vector<Candidate> cgroups() {
  std::map<std::string, size_t> names;
  for_each_process([&](const linux::ProcessInfo& process) {
    if (process.cgroup.size() > 1) ++names[process.cgroup];
  });
  std::vector<Candidate> found;
  for (const auto& [name, count] : names) found.push_back({name, counted(count)});
  return found;
}

std::vector<Candidate> users() {
  std::vector<Candidate> found;
  ::setpwent();
  for (const passwd* user = ::getpwent(); user != nullptr && found.size() < kMost; user = ::getpwent())
    found.push_back({user->pw_name, user->pw_gecos == nullptr ? "" : user->pw_gecos});
  ::endpwent();
  return found;
}

std::string target_of(const Profile& profile) {
  for (const auto& fact : profile.provenance)
    if (profile.text(fact.key) == "target") return std::string(profile.text(fact.value));
  return {};
}

std::vector<Candidate> profiles() {
  const store::Library library = store::Library::open_default();
  const auto entries = library.list();
  std::vector<Candidate> found;
  if (!entries.ok()) return found;
  size_t opened = 0;
  for (const store::LibraryEntry& entry : *entries) {
    if (found.size() == kMost) break;
    std::string text = time_text(entry.modified_ns);
    if (opened < kMostRead && entry.bytes <= kMostBytesRead) {
      ++opened;
      if (const auto profile = library.read(entry); profile.ok())
        if (const std::string target = target_of(*profile); !target.empty()) text = target + ", " + text;
    }
    found.push_back({entry.id.substr(0, 12), text});
  }
  return found;
}

std::vector<Candidate> ledgers() {
  std::vector<Candidate> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(ledger_folder(), error), end;
       !error && entry != end && found.size() < kMost; entry.increment(error))
    if (const std::string name = entry->path().stem().string(); budget::is_ledger_id(name)) found.push_back({name, ""});
  std::ranges::sort(found, {}, &Candidate::value);
  return found;
}

std::vector<Candidate> fleet_services() {
  std::vector<Candidate> found;
  if (const auto answer = verbs::services(); answer.ok())
    for (const ServiceRow& row : answer->services) found.push_back({"service:" + row.service, counted(row.instances)});
  return found;
}

std::vector<Candidate> events() {
  std::vector<Candidate> found;
  for (const std::string_view name : linux::software_event_names())
    found.push_back({std::string(profile::kEventPrefix).append(name), "of the kernel"});
  for (const std::string_view name : linux::hardware_event_names())
    found.push_back({std::string(profile::kEventPrefix).append(name), "of the processor"});
  return found;
}

std::vector<Candidate> languages() {
  std::vector<Candidate> found;
  for (const auto& kernel : capture::profiling_kernels()) found.push_back({std::string(kernel->name()), ""});
  return found;
}

std::vector<Candidate> all(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::Processes: return processes();
    case CandidateKind::Services: return services();
    case CandidateKind::Cgroups: return cgroups();
    case CandidateKind::Users: return users();
    case CandidateKind::Profiles: return profiles();
    case CandidateKind::Ledgers: return ledgers();
    case CandidateKind::FleetServices: return fleet_services();
    case CandidateKind::Events: return events();
    case CandidateKind::Languages: return languages();
  }
  return {};
}

}  // namespace

bool is_plain_word(const std::string& text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-.,:/@%+").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::vector<Candidate> candidates(CandidateKind kind) {
  std::vector<Candidate> found = all(kind);
  std::erase_if(found, [](const Candidate& candidate) { return !is_plain_word(candidate.value); });
  if (found.size() > kMost) found.resize(kMost);
  for (Candidate& candidate : found) candidate.text = bounded(candidate.text);
  return found;
}

}  // namespace atys::verbs
