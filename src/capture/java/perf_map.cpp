// SPDX-License-Identifier: Apache-2.0
#include "capture/java/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "capture/target/process_files.h"
#include "linux/proc_text.h"
#include "linux/run_as.h"

namespace atys::capture::java {

namespace {

void remove_as(uid_t user, gid_t group, int folder, const std::string& file) {
  (void)linux::run_as(user, group, [&]() -> Result<> {
    ::unlinkat(folder, file.c_str(), 0);
    return {};
  });
}

}  // namespace

Result<std::unique_ptr<PerfMapCompanion>> PerfMapCompanion::create(const JavaProcess& process,
                                                                   const std::string& trace_folder) {
  if (process.release() != 0 && process.release() < kFirstWithPerfMap)
    return fail(ErrorCode::Unsupported,
                fmt::format("Java {} cannot write a list of its compiled methods: JDK {} was the first", process.release(),
                            kFirstWithPerfMap),
                "get async-profiler: see `atys doctor java`");
  AttachClient client = TRY(AttachClient::create(process));
  UniqueFd temp = open_in_root(process.info.pid, "/tmp", O_PATH | O_DIRECTORY);
  if (!temp.is_open()) return fail_errno(fmt::format("opening /tmp of process {}", process.info.pid));
  std::unique_ptr<PerfMapCompanion> made(new PerfMapCompanion(std::move(client), std::move(temp), process.info));
  made->trace_folder_ = trace_folder;
  return made;
}

PerfMapCompanion::PerfMapCompanion(AttachClient client, UniqueFd temp, const linux::ProcessInfo& info)
    : client_(std::move(client)),
      temp_(std::move(temp)),
      info_(info),
      file_(fmt::format("perf-{}.map", info.pid_in_namespace)) {}

PerfMapCompanion::~PerfMapCompanion() {
  if (!is_ours_) return;
  remove_as(info_.uid, info_.gid, temp_.get(), file_);
  trace_.undone();
}

bool undo_perf_map(const TraceNote& note, bool is_alive) {
  if (note.details.size() != 3 || !note.details[0].starts_with("perf-")) return true;
  const auto user = linux::parse_number<uid_t>(note.details[1]);
  const auto group = linux::parse_number<gid_t>(note.details[2]);
  const UniqueFd temp = is_alive ? open_in_root(note.pid, "/tmp", O_PATH | O_DIRECTORY)
                                 : UniqueFd(::open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (user && group && temp.is_open()) remove_as(*user, *group, temp.get(), note.details[0]);
  return true;
}

// The machine opens the file by its name and follows links: somebody could have planted one to a file of the machine's user.
Result<bool> PerfMapCompanion::has_map() const {
  struct stat status {};
  if (::fstatat(temp_.get(), file_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return false;
    return fail_errno("looking at /tmp/" + file_);
  }
  if (S_ISREG(status.st_mode) && status.st_uid == info_.uid && status.st_nlink == 1) return true;
  return fail(ErrorCode::PermissionDenied, "/tmp/" + file_ + " is not a plain file of the process's user",
              "remove it: somebody left or planted it");
}

Result<> PerfMapCompanion::before_naming() {
  const bool was_there = TRY(has_map());
  if (!was_there && !is_ours_)
    trace_ = TRY(Trace::leave(trace_folder_, {.kernel = "java",
                                              .what = std::string(kPerfMap),
                                              .pid = info_.pid,
                                              .start_time_ticks = info_.start_time_ticks,
                                              .details = {file_, std::to_string(info_.uid), std::to_string(info_.gid)}}));
  const AttachReply reply = TRY(client_.command("jcmd", {"Compiler.perfmap", "", ""}));
  if (reply.code != 0)
    return fail(ErrorCode::Unsupported, "the Java machine does not write a list of its compiled methods: " +
                                            reply.text.substr(0, reply.text.find('\n')));
  if (!TRY(has_map())) return fail(ErrorCode::Unavailable, "the Java machine did not write /tmp/" + file_);
  is_ours_ = is_ours_ || !was_there;
  return {};
}

}  // namespace atys::capture::java
