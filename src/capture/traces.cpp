// SPDX-License-Identifier: Apache-2.0
#include "capture/traces.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "base/hex.h"
#include "base/json.h"
#include "base/random.h"
#include "linux/host.h"
#include "linux/namespaces.h"
#include "linux/process.h"

namespace atys::capture {

namespace {

constexpr size_t kLongestNote = 4096;
constexpr size_t kMostNotes = 1000;  // of one start
constexpr std::string_view kSuffix = ".trace";

std::string text_of(const TraceNote& note) {
  const Json json{{"kernel", note.kernel},
                  {"what", note.what},
                  {"pid", note.pid},
                  {"start_time_ticks", note.start_time_ticks},
                  {"boot", linux::boot_digits()},
                  {"pid_namespace", linux::read_namespaces(::getpid()).pid},
                  {"details", note.details}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct ReadNote {
  TraceNote note;
  bool is_of_this_boot = false;
  bool is_of_our_numbers = false;
};

// Of a file in a folder of ours, but perhaps of another version, or cut short.
Result<ReadNote> parse_note(std::string_view text) {
  const Json json = TRY(parse_json(text, 4));
  const auto is_number = [&](const char* name) { return json.contains(name) && json[name].is_number_unsigned(); };
  const auto is_text = [&](const char* name) { return json.contains(name) && json[name].is_string(); };
  if (!json.is_object() || !is_text("kernel") || !is_text("what") || !is_text("boot") || !is_number("pid") ||
      !is_number("start_time_ticks") || !is_number("pid_namespace") || !json.contains("details") ||
      !json["details"].is_array() || json["pid"].get<uint64_t>() > INT32_MAX)
    return fail(ErrorCode::InvalidInput, "that is no note of a trace");
  ReadNote read;
  read.note = {.kernel = json["kernel"].get<std::string>(),
               .what = json["what"].get<std::string>(),
               .pid = json["pid"].get<pid_t>(),
               .start_time_ticks = json["start_time_ticks"].get<uint64_t>(),
               .details = {}};
  for (const Json& detail : json["details"])
    read.note.details.push_back(detail.is_string() ? detail.get<std::string>() : std::string());
  read.is_of_this_boot = json["boot"].get<std::string>() == linux::boot_digits();
  read.is_of_our_numbers = json["pid_namespace"].get<uint64_t>() == linux::read_namespaces(::getpid()).pid;
  return read;
}

Result<> write_note(int fd, const TraceNote& note) {
  const std::string text = text_of(note);
  if (text.size() > kLongestNote) return fail(ErrorCode::InvalidInput, "the note of a trace is too long");
  if (::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(fd, static_cast<off_t>(text.size())) != 0)
    return fail_errno("noting what is about to be done to another process");
  return {};
}

bool is_lock_ours(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev && S_ISREG(opened.st_mode) &&
         opened.st_uid == ::geteuid();
}

std::vector<std::string> notes_in(const std::string& folder) {
  std::vector<std::string> paths;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = stream == nullptr ? nullptr : ::readdir(stream.get()))
    if (std::string_view(entry->d_name).ends_with(kSuffix) && paths.size() < kMostNotes)
      paths.push_back(folder + "/" + entry->d_name);
  return paths;
}

void mend(const std::string& path, const std::function<bool(const TraceNote&, bool)>& undo) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() || !is_lock_ours(file.get(), path)) return;
  std::string text(kLongestNote + 1, '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  const auto read = parse_note(text);
  if (read.ok() && read->is_of_this_boot && !read->is_of_our_numbers) return;  // somebody's of another container
  const TraceNote* note = read.ok() ? &read->note : nullptr;
  const bool is_alive = note != nullptr && read->is_of_this_boot && linux::is_alive(note->pid, note->start_time_ticks);
  if (note == nullptr || undo(*note, is_alive)) ::unlink(path.c_str());
}

}  // namespace

Result<Trace> Trace::leave(const std::string& folder, const TraceNote& note) {
  Trace trace;
  if (folder.empty()) return trace;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return fail(ErrorCode::Unavailable, "making " + folder + ": " + problem.message());
  ::chmod(folder.c_str(), 0700);
  const std::string path = folder + "/" + to_hex(TRY(random_bytes(8))) + std::string(kSuffix);
  trace.file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!trace.file_.is_open()) return fail_errno("making " + path);
  // Locked before there is anything in it: whoever looks meanwhile finds no note, and forgets an empty file at worst.
  const bool is_locked = ::flock(trace.file_.get(), LOCK_EX) == 0;
  Result<> written = is_locked ? write_note(trace.file_.get(), note) : Result<>(fail_errno("locking " + path));
  if (written.ok() && !std::filesystem::exists(path, problem)) written = fail(ErrorCode::Unavailable, path + " is gone");
  if (!written.ok()) {
    ::unlink(path.c_str());
    return written.error();
  }
  trace.path_ = path;
  return trace;
}

Trace& Trace::operator=(Trace&& other) noexcept {
  path_ = std::exchange(other.path_, {});
  file_ = std::move(other.file_);
  return *this;
}

Result<> Trace::change(const TraceNote& note) { return path_.empty() ? Result<>() : write_note(file_.get(), note); }

void Trace::undone() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  path_.clear();
  file_.reset();
}

void mend_traces(const std::string& folder, const std::function<bool(const TraceNote&, bool is_alive)>& undo) {
  if (folder.empty()) return;
  for (const std::string& path : notes_in(folder)) mend(path, undo);
}

}  // namespace atys::capture
