// SPDX-License-Identifier: Apache-2.0
#include "capture/java/agent_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/path_names.h"
#include "capture/target/process_files.h"
#include "linux/proc_maps.h"
#include "linux/proc_text.h"
#include "linux/run_as.h"

namespace atys::capture::java {

namespace {

constexpr const char* kLog = "log";
constexpr const char* kAnswer = "answer";
constexpr const char* kLibrary = "libasyncProfiler.so";
constexpr int kOldestMajor = 3;   // has cstack=vm
constexpr int kChunkSeconds = 5;  // what is lost at most when the process is killed: a chunk is readable once it is complete

// Of a process with a root of its own that is a folder of ours, the kernel tells us paths as we see them.
std::string path_inside(const std::string& root, const std::string& path) {
  return root.size() > 1 && path.starts_with(root + "/") ? path.substr(root.size()) : path;
}

// Libraries that other tools bring async-profiler in are called otherwise, but hold its name.
std::vector<std::string> loaded_agents(pid_t pid) {
  std::set<std::string> found;
  std::error_code problem;
  const std::string root = std::filesystem::read_symlink(fmt::format("/proc/{}/root", pid), problem).string();
  if (const auto ranges = linux::read_maps(pid); ranges.ok())
    for (const linux::MappedRange& range : *ranges)
      if (range.is_executable && base_name(range.path).find("syncProfiler") != std::string_view::npos)
        found.insert(path_inside(root, range.path));
  return {found.begin(), found.end()};
}

Error is_busy(const std::string& agent) {
  return fail(ErrorCode::Unavailable, "another recording of async-profiler runs in the process (" + agent + ")",
              "a machine can have only one: stop that one first, or wait until it ends");
}

// Whether the process finds the same file under the same path, and may read it.
bool is_visible(const JavaProcess& process, const std::string& path) {
  struct stat ours {};
  struct stat theirs {};
  const UniqueFd fd = open_in_root(process.info.pid, path, O_PATH);
  if (!fd.is_open() || ::stat(path.c_str(), &ours) != 0 || ::fstat(fd.get(), &theirs) != 0) return false;
  if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino) return false;
  return linux::run_as(process.info.uid, process.info.gid,
                       [&]() -> Result<> {
                         const UniqueFd opened(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
                         return opened.is_open() ? Result<>{} : Result<>(fail_errno("opening " + path));
                       })
      .ok();
}

// It may have heard us all the same.
bool was_not_answered(const Error& error) {
  return error.code == ErrorCode::Unavailable && error.message.starts_with("no answer");
}

// Whether the machine has that recording open: one that has ended by itself may have been followed by somebody else's.
bool records_into(pid_t pid, const std::string& folder) {
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), problem)) {
    const std::string link = std::filesystem::read_symlink(entry.path(), problem).string();
    if (link.find(fmt::format("/tmp/{}/{}", folder, AgentSession::kRecording)) != std::string::npos) return true;
  }
  return false;
}

// As stop() and let_go_of_log() do.
Result<> end_recording(pid_t pid, const std::string& folder, const std::string& agent) {
  for (const DetectedRuntime& runtime : TRY(detect_runtimes(pid))) {
    if (runtime.kernel != "java") continue;
    AttachClient client = TRY(AttachClient::create(TRY(look_at_java(pid, runtime))));
    TRY(check_load(TRY(client.command("load", {agent, "true", fmt::format("stop,log=/tmp/{}/{}", folder, kLog)}))));
    TRY(client.command("load", {agent, "true", fmt::format("status,file=/tmp/{}/{},log=stdout", folder, kAnswer)}));
    return {};
  }
  return fail(ErrorCode::NotFound, "no Java machine is in the process");
}

Error in_words(const std::string& log, const Error& error) {
  constexpr std::string_view kError = "[ERROR] ";
  const size_t at = log.rfind(kError);
  if (at == std::string::npos) return error;
  const std::string why = log.substr(at + kError.size(), log.find('\n', at) - at - kError.size());
  return fail(error.code, "async-profiler: " + why, error.hint);
}

}  // namespace

Result<> check_load(const AttachReply& reply) {
  // JDK 8 answers the number alone, and from 21 on the code of the reply is 0 whatever happened.
  std::string_view text = reply.text;
  constexpr std::string_view kCode = "return code: ";
  if (text.starts_with(kCode)) text.remove_prefix(kCode.size());
  const auto code = linux::parse_number<int>(text);
  if (reply.code == 0 && code == 0) return {};
  if (code) return fail(ErrorCode::Unavailable, fmt::format("the agent answered {}", *code));
  const std::string why(reply.text.substr(0, std::min<size_t>(reply.text.find_last_not_of('\n') + 1, 500)));
  return fail(ErrorCode::Unavailable, "the Java machine did not load the agent: " + why,
              "if /tmp of the process is mounted noexec, put libasyncProfiler.so elsewhere in its file system and set "
              "ATYS_ASYNC_PROFILER to that path");
}

Result<AgentSession> AgentSession::create(const JavaProcess& process, const AgentLibrary* library,
                                          const AttachClient::Limits& limits, const std::string& trace_folder) {
  if (!process.has(kDynamicAgents, true))
    return fail(
        ErrorCode::Unsupported,
        fmt::format("process {} was started with -XX:-EnableDynamicAgentLoading: it takes no agent", process.info.pid),
        "start it without that option");
  AgentSession session;
  session.pid_ = process.info.pid;
  session.start_time_ticks_ = process.info.start_time_ticks;
  session.client_ = std::make_unique<AttachClient>(TRY(AttachClient::create(process, limits)));
  session.folder_ = std::make_unique<PrivateFolder>(TRY(PrivateFolder::create(process.info)));
  TRY(session.note(process, trace_folder));
  TRY(session.choose_agent(process, library));
  TRY(session.note(process, trace_folder));
  return session;
}

// The folder, whose it is, and through which library of the machine a recording in it can be ended.
Result<> AgentSession::note(const JavaProcess& process, const std::string& trace_folder) {
  const TraceNote note{
      .kernel = "java",
      .what = std::string(kSession),
      .pid = process.info.pid,
      .start_time_ticks = process.info.start_time_ticks,
      .details = {folder_->name(), std::to_string(process.info.uid), std::to_string(process.info.gid), agent_}};
  if (has_trace_) return trace_.change(note);
  trace_ = TRY(Trace::leave(trace_folder, note));
  has_trace_ = true;
  return {};
}

bool undo_session(const TraceNote& note, bool is_alive) {
  if (note.details.size() != 4) return true;
  const std::string& name = note.details[0];
  const auto user = linux::parse_number<uid_t>(note.details[1]);
  const auto group = linux::parse_number<gid_t>(note.details[2]);
  if (!user || !group) return true;
  const UniqueFd parent = is_alive ? open_in_root(note.pid, "/tmp", O_PATH | O_DIRECTORY)
                                   : UniqueFd(::open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const bool is_over = !is_alive || !records_into(note.pid, name) || end_recording(note.pid, name, note.details[3]).ok();
  if (is_over && parent.is_open())
    PrivateFolder::remove(parent.get(), name, *user, *group, {kLog, kAnswer, kLibrary, AgentSession::kRecording});
  return is_over;
}

Result<> AgentSession::choose_agent(const JavaProcess& process, const AgentLibrary* library) {
  for (const std::string& path : loaded_agents(process.info.pid)) TRY(look_at_loaded(path));
  if (!agent_.empty()) return {};
  if (library == nullptr) return fail(ErrorCode::NotFound, "async-profiler is not in the process and was not found");
  agent_ = TRY(place(process, *library));
  return {};
}

// One that cannot be asked (its file is gone and the C library wants it again) cannot be used either; of one that only does
// not answer in time no second copy is brought along.
Result<> AgentSession::look_at_loaded(const std::string& path) {
  const auto status = ask(path, "status");
  if (!status.ok()) return was_not_answered(status.error()) ? Result<>(status.error()) : Result<>{};
  if (status->find("is running") != std::string::npos) return is_busy(path);
  const auto version = ask(path, "version");
  const auto major =
      version.ok() ? linux::parse_number<int>(std::string_view(*version).substr(0, version->find('.'))) : std::nullopt;
  if (major.value_or(0) >= kOldestMajor) agent_ = path;
  return {};
}

Result<std::string> AgentSession::place(const JavaProcess& process, const AgentLibrary& library) {
  if (!library.is_in_jar && is_visible(process, library.path)) return library.path;
  return folder_->add(kLibrary, library.content);
}

AgentSession::~AgentSession() {
  if (client_ == nullptr) return;  // moved away
  if (is_recording_) (void)stop();
  const bool is_over = !has_failed_to_stop_ || !linux::is_alive(pid_, start_time_ticks_);
  folder_.reset();
  if (is_over) trace_.undone();
}

// Without a log of its own the agent writes to the output of the process.
Result<> AgentSession::send(const std::string& path, const std::string& options) {
  const std::string all = fmt::format("{},log={}", options, folder_->path(kLog));
  const AttachReply reply = TRY(client_->command("load", {path, "true", all}));
  const std::string log = folder_->take_text(kLog);
  if (auto done = check_load(reply); !done.ok()) {
    if (log.find("already started") != std::string::npos) return is_busy(path);
    return in_words(log, done.error());
  }
  return {};
}

Result<std::string> AgentSession::ask(const std::string& path, const std::string& question) {
  TRY(send(path, fmt::format("{},file={}", question, folder_->path(kAnswer))));
  return folder_->take_text(kAnswer);
}

Result<> AgentSession::start(std::string_view what, uint64_t longest_s) {
  // Set before: an answer that comes too late may be one to a start that was done.
  is_recording_ = true;
  auto done = send(agent_, fmt::format("start,{},jfr,file={},timeout={},chunktime={}", what, folder_->path(kRecording),
                                       longest_s, kChunkSeconds));
  is_recording_ = done.ok() || was_not_answered(done.error());
  return done;
}

Result<> AgentSession::dump() { return send(agent_, fmt::format("dump,jfr,file={}", folder_->path(kRecording))); }

Result<> AgentSession::stop() {
  is_recording_ = false;
  auto done = send(agent_, "stop");
  has_failed_to_stop_ = !done.ok();
  if (done.ok() || !was_not_answered(done.error())) let_go_of_log();
  return done;
}

// It keeps its log open until the next command; this is the last.
void AgentSession::let_go_of_log() {
  const std::string options = fmt::format("status,file={},log=stdout", folder_->path(kAnswer));
  (void)client_->command("load", {agent_, "true", options});
}

}  // namespace atys::capture::java
