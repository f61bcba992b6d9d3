// SPDX-License-Identifier: Apache-2.0
#include "linux/process.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "linux/proc_file.h"
#include "linux/proc_folder.h"
#include "linux/proc_text.h"

namespace atys::linux {

namespace {

constexpr size_t kLongestArguments = size_t{8} << 20;
constexpr int kMostListings = 16;

std::string proc_path(pid_t pid, std::string_view file) {
  return proc_folder() + "/" + std::to_string(pid) + "/" + std::string(file);
}

// Says which process it was, rather than which file.
Error no_process(pid_t pid, const Error& error) {
  const std::string name = "process " + std::to_string(pid);
  if (error.code == ErrorCode::PermissionDenied)
    return fail(error.code, name + ": not permitted to look at it",
                "run as its user or as root; mounts of /proc with hidepid hide it");
  return fail(ErrorCode::NotFound, "no " + name, "it may have ended; `ps -e` lists those that run");
}

std::vector<pid_t> numbered_entries(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) return numbers;
  while (const dirent* entry = ::readdir(stream.get()))
    if (const auto number = parse_number<pid_t>(entry->d_name)) numbers.push_back(*number);
  std::ranges::sort(numbers);
  return numbers;
}

void read_executable(ProcessInfo& process) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::string path(4096, '\0');
  const ssize_t length = ::readlink(proc_path(process.pid, "exe").c_str(), path.data(), path.size());
  if (length <= 0) return;
  path.resize(static_cast<size_t>(length));
  process.is_executable_deleted = path.ends_with(kDeleted);
  if (process.is_executable_deleted) path.resize(path.size() - kDeleted.size());
  process.executable = std::move(path);
}

// Of the four numbers real, effective, saved, file system.
uint32_t effective_id(std::string_view status, std::string_view key) {
  const auto ids = words_of(value_of(status, key));
  return ids.size() < 2 ? 0 : parse_number<uint32_t>(ids[1]).value_or(0);
}

Result<> read_status(ProcessInfo& process) {
  const auto status = read_proc_file(proc_path(process.pid, "status"));
  if (!status.ok()) return no_process(process.pid, status.error());
  const pid_t leader = parse_number<pid_t>(value_of(*status, "Tgid")).value_or(process.pid);
  if (leader != process.pid)
    return fail(ErrorCode::InvalidInput, std::to_string(process.pid) + " is a thread of process " + std::to_string(leader),
                "name the process: " + std::to_string(leader));
  process.uid = effective_id(*status, "Uid");
  process.gid = effective_id(*status, "Gid");
  const auto pids = words_of(value_of(*status, "NStgid"));
  process.pid_in_namespace = pids.empty() ? process.pid : parse_number<pid_t>(pids.back()).value_or(process.pid);
  return {};
}

}  // namespace

Result<ProcessStat> parse_stat(std::string_view text) {
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return fail(ErrorCode::InvalidInput, "not the text of a stat file");
  // Numbered as proc(5) does it: the state is field 3.
  const auto words = words_of(text.substr(close + 1));
  const auto field = [&](size_t number) { return parse_number<uint64_t>(words[number - 3]); };
  if (words.size() < 20 || words[0].size() != 1) return fail(ErrorCode::InvalidInput, "a stat file with too few fields");
  const auto user = field(14);
  const auto system = field(15);
  const auto start = field(22);
  const auto parent = parse_number<pid_t>(words[1]);
  if (!user || !system || !start || !parent)
    return fail(ErrorCode::InvalidInput, "a stat file with fields that are no numbers");
  return ProcessStat{std::string(text.substr(open + 1, close - open - 1)), words[0][0], *parent, *user + *system, *start};
}

std::string parse_cgroup(std::string_view text) {
  std::string_view unified;
  std::string_view cpu;
  std::string_view first;
  std::string_view any;
  for_each_line(text, [&](std::string_view line) {
    const size_t controllers = line.find(':');
    const size_t path = controllers == std::string_view::npos ? controllers : line.find(':', controllers + 1);
    if (path == std::string_view::npos) return;
    const std::string_view names = line.substr(controllers + 1, path - controllers - 1);
    const std::string_view value = line.substr(path + 1);
    if (any.empty()) any = value;
    if (value == "/") return;
    if (names.empty()) unified = value;
    if (names == "cpu" || names.starts_with("cpu,") || names.ends_with(",cpu")) cpu = value;
    if (first.empty()) first = value;
  });
  for (const std::string_view path : {unified, cpu, first})
    if (!path.empty()) return std::string(path);
  return std::string(any);
}

Result<ProcessInfo> read_process(pid_t pid) {
  ProcessInfo process;
  process.pid = pid;
  const auto text = read_proc_file(proc_path(pid, "stat"));
  if (!text.ok()) return no_process(pid, text.error());
  ProcessStat stat = TRY(parse_stat(*text));
  process.comm = std::move(stat.comm);
  process.state = stat.state;
  process.parent = stat.parent;
  process.start_time_ticks = stat.start_time_ticks;
  TRY(read_status(process));
  if (const auto arguments = read_proc_file(proc_path(pid, "cmdline"), kLongestArguments); arguments.ok())
    process.command_line = split_zero_ended(*arguments);
  if (const auto groups = read_proc_file(proc_path(pid, "cgroup")); groups.ok()) process.cgroup = parse_cgroup(*groups);
  read_executable(process);
  if (const auto time = cpu_time_ns(pid); time.ok()) process.cpu_time_ns = *time;
  return process;
}

std::vector<pid_t> list_processes() { return numbered_entries(proc_folder()); }

// "0.20 0.18 0.12 1/80 11206"
pid_t newest_number() {
  const Result<std::string> text = read_proc_file(proc_folder() + "/loadavg", 256);
  if (!text.ok()) return 0;
  std::string_view last(*text);
  last = last.substr(last.rfind(' ') + 1);
  return parse_number<pid_t>(last.substr(0, last.find('\n'))).value_or(0);
}

// The fourth word of the same.
size_t running_count() {
  const Result<std::string> text = read_proc_file(proc_folder() + "/loadavg", 256);
  if (!text.ok()) return 0;
  std::string_view before(*text);
  before = before.substr(0, before.find('/'));
  return parse_number<size_t>(before.substr(before.rfind(' ') + 1)).value_or(0);
}

Result<std::vector<pid_t>> list_threads(pid_t pid) {
  const std::string folder = proc_path(pid, "task");
  std::vector<pid_t> threads = numbered_entries(folder);
  for (int i = 1; i < kMostListings; ++i) {
    std::vector<pid_t> again = numbered_entries(folder);
    if (again == threads) break;
    threads = std::move(again);
  }
  if (threads.empty()) return fail(ErrorCode::NotFound, "no process " + std::to_string(pid));
  return threads;
}

Result<std::string> thread_name(pid_t pid, pid_t tid) {
  std::string name = TRY(read_proc_file(proc_path(pid, "task/" + std::to_string(tid) + "/comm")));
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

Result<char> thread_state(pid_t pid, pid_t tid) {
  const std::string text = TRY(read_proc_file(proc_path(pid, "task/" + std::to_string(tid) + "/stat")));
  return TRY(parse_stat(text)).state;
}

Result<pid_t> process_of_thread(pid_t tid) {
  const auto status = read_proc_file(proc_path(tid, "status"));
  if (!status.ok()) return no_process(tid, status.error());
  const auto leader = parse_number<pid_t>(value_of(*status, "Tgid"));
  if (!leader) return fail(ErrorCode::InvalidInput, "thread " + std::to_string(tid) + ": its status names no process");
  return *leader;
}

Result<pid_t> parent_of(pid_t pid) {
  const auto status = read_proc_file(proc_path(pid, "status"));
  if (!status.ok()) return no_process(pid, status.error());
  const auto parent = parse_number<pid_t>(value_of(*status, "PPid"));
  if (!parent || parse_number<pid_t>(value_of(*status, "Tgid")) != pid)
    return fail(ErrorCode::NotFound, "no process has the number " + std::to_string(pid));
  return *parent;
}

Result<uint64_t> cpu_time_ns(pid_t pid) {
  // The process's own clock: nanoseconds, threads that ended included, one system call. A zombie has none left.
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &time) == 0)
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
  const auto text = read_proc_file(proc_path(pid, "stat"));
  if (!text.ok()) return no_process(pid, text.error());
  const auto stat = TRY(parse_stat(*text));
  return stat.cpu_ticks * (1'000'000'000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK)));
}

Result<uint64_t> process_start_ticks(pid_t pid) {
  const std::string text = TRY(read_proc_file(proc_path(pid, "stat")));
  return TRY(parse_stat(text)).start_time_ticks;
}

time_t unix_time_of_start(uint64_t start_time_ticks) {
  timespec since_boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const auto ticks_per_second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  return ::time(nullptr) - since_boot.tv_sec + static_cast<time_t>(start_time_ticks / ticks_per_second) - 1;
}

bool is_alive(pid_t pid, uint64_t start_time_ticks) {
  const auto text = read_proc_file(proc_path(pid, "stat"));
  if (!text.ok()) return false;
  const auto stat = parse_stat(*text);
  return stat.ok() && stat->start_time_ticks == start_time_ticks && stat->state != 'Z' && stat->state != 'X';
}

Result<std::vector<std::string>> read_environment(pid_t pid) {
  const auto text = read_proc_file(proc_path(pid, "environ"), kLongestArguments);
  if (!text.ok() && text.error().code == ErrorCode::ResourceExhausted) return text.error();
  if (!text.ok()) return in_context("environment", no_process(pid, text.error()));
  return split_zero_ended(*text);
}

}  // namespace atys::linux
