// SPDX-License-Identifier: Apache-2.0
#include "capture/node/command_maps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "capture/node/inspector_options.h"
#include "capture/preload/shared_space.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::capture::node {

namespace {

constexpr std::string_view kOptions = "--perf-basic-prof --interpreted-frames-native-stack";
constexpr size_t kMostFolders = 8;  // in one note
constexpr size_t kMostNoted = 200;  // those and pids

std::string map_of(pid_t pid) { return fmt::format("/tmp/perf-{}.map", pid); }

// Only what such a process wrote with our rights.
void remove_map(pid_t pid) {
  struct stat status {};
  const std::string path = map_of(pid);
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid()) ::unlink(path.c_str());
}

// "isolate-0x55d0c3b0-4711-v8.log", of one of those processes.
void remove_logs(const std::string& folder, const std::set<pid_t>& pids) {
  constexpr std::string_view kBegin = "isolate-0x";
  constexpr std::string_view kEnd = "-v8.log";
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    const std::string_view middle = std::string_view(name).substr(0, name.size() - kEnd.size());
    const auto pid = linux::parse_number<pid_t>(middle.substr(middle.rfind('-') + 1));
    struct stat status {};
    if (pid && pids.contains(*pid) && ::lstat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == ::geteuid())
      ::unlink(entry.path().c_str());
  }
}

void remove_all(const std::set<pid_t>& pids, const std::set<std::string>& folders) {
  for (const pid_t pid : pids) remove_map(pid);
  for (const std::string& folder : folders) remove_logs(folder, pids);
}

std::string folder_of(pid_t pid) {
  std::error_code problem;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", pid), problem).string();
}

bool is_alone() {
  return std::ranges::all_of(linux::list_processes(), [](pid_t pid) {
    struct stat status {};
    return ::stat(fmt::format("/proc/{}", pid).c_str(), &status) != 0 || status.st_uid == 0 || status.st_uid == ::geteuid();
  });
}

}  // namespace

bool is_tmp_safe() {
  struct stat status {};
  if (::stat("/tmp", &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) return false;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return true;
  const auto guarded = linux::read_proc_file("/proc/sys/fs/protected_symlinks", 16);
  const bool is_guarded = guarded.ok() && linux::parse_number<int>(guarded->substr(0, guarded->find('\n'))).value_or(0) > 0;
  return (status.st_mode & S_ISVTX) != 0 && (is_guarded || is_alone());
}

std::unique_ptr<CommandHelp> CommandMaps::of(const RecordingPlan& plan) {
  const auto* command = std::get_if<CommandTarget>(&plan.target);
  if (command == nullptr || plan.may_open_inspector || is_of_runtimes(plan.kind) || plan.tier == Tier::Memory)
    return nullptr;
  const std::string program = preload::program_of(command->arguments);
  if (program != "node" && program != "nodejs") return nullptr;
  const char* said = std::getenv("NODE_OPTIONS");
  const std::string own = said == nullptr ? "" : said;
  // Whoever says anything about it, on or off, has it so.
  const auto speaks_of_maps = [](const std::string& word) {
    return word.find("perf-basic-prof") != std::string::npos || word.find("perf_basic_prof") != std::string::npos;
  };
  if (speaks_of_maps(own) || std::ranges::any_of(command->arguments, speaks_of_maps) || !is_tmp_safe() ||
      ::faccessat(AT_FDCWD, ".", W_OK, AT_EACCESS) != 0)
    return nullptr;
  std::unique_ptr<CommandMaps> made(new CommandMaps());
  made->options_ = own.empty() ? std::string(kOptions) : own + " " + std::string(kOptions);
  made->trace_folder_ = plan.trace_folder;
  return made;
}

TraceNote CommandMaps::note() const {
  TraceNote note{.kernel = "node",
                 .what = std::string(kMapsOfCommand),
                 .pid = command_,
                 .start_time_ticks = start_time_ticks_,
                 .details = {}};
  for (const std::string& folder : folders_)
    if (note.details.size() < kMostFolders) note.details.push_back(folder);
  for (const pid_t pid : pids_)
    if (note.details.size() < kMostNoted) note.details.push_back(std::to_string(pid));
  return note;
}

// Nobody can take the place of a file of ours in a sticky folder.
Result<> CommandMaps::prepare(pid_t command) {
  command_ = command;
  start_time_ticks_ = TRY(linux::read_process(command)).start_time_ticks;
  remove_map(command);  // of a process that had the same number
  pids_.insert(command);
  folders_.insert(folder_of(command));
  if (auto trace = Trace::leave(trace_folder_, note()); trace.ok()) trace_ = trace.take();
  const UniqueFd map(::open(map_of(command).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!map.is_open()) return fail_errno("making " + map_of(command));
  return {};
}

void CommandMaps::note_process(pid_t pid) {
  if (!pids_.insert(pid).second) return;
  if (std::string folder = folder_of(pid); !folder.empty()) folders_.insert(std::move(folder));
  (void)trace_.change(note());
}

CommandMaps::~CommandMaps() {
  remove_all(pids_, folders_);
  trace_.undone();
}

bool undo_maps(const TraceNote& note) {
  std::set<pid_t> pids;
  std::set<std::string> folders;
  for (const std::string& detail : note.details) {
    if (const auto pid = linux::parse_number<pid_t>(detail))
      pids.insert(*pid);
    else if (detail.starts_with('/'))
      folders.insert(detail);
  }
  remove_all(pids, folders);
  return true;
}

}  // namespace atys::capture::node
