// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_activity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "linux/proc_file.h"
#include "linux/proc_folder.h"
#include "linux/proc_text.h"

namespace atys::linux {

namespace {

constexpr size_t kLongestLine = 512;  // "syscall" has at most 170, "schedstat" 62
constexpr size_t kLongestState = 4096;
constexpr std::string_view kRunning = "running";
constexpr std::string_view kInNone = "-1";

std::string path_of(pid_t pid, pid_t tid, std::string_view name) {
  return fmt::format("{}/{}/task/{}/{}", proc_folder(), pid, tid, name);
}

UniqueFd open_file(pid_t pid, pid_t tid, std::string_view name) {
  return UniqueFd(::open(path_of(pid, tid, name).c_str(), O_RDONLY | O_CLOEXEC));
}

// A line, in the room that is given. Nothing: it cannot be read.
std::optional<std::string_view> read_line(const UniqueFd& fd, std::array<char, kLongestLine>& room) {
  const ssize_t got = ::pread(fd.get(), room.data(), room.size(), 0);
  if (got <= 0) return std::nullopt;
  return std::string_view(room.data(), static_cast<size_t>(got));
}

// "0x7f01"
std::optional<uint64_t> parse_address(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  return parse_number<uint64_t>(word.substr(2), 16);
}

// The next word of a line, without memory of its own: this is done for each thread at each look.
std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\n";
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlanks)));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<ThreadActivity> parse_activity(std::string_view text) {
  ThreadActivity activity;
  std::string_view word = take_word(text);
  if (word == kRunning) {
    activity.is_running = true;
    return activity;
  }
  if (word != kInNone) {
    activity.call = parse_number<uint64_t>(word);
    if (!activity.call) return std::nullopt;
    for (uint64_t& argument : activity.arguments) {
      const auto value = parse_address(take_word(text));
      if (!value) return std::nullopt;
      argument = *value;
    }
  }
  const auto sp = parse_address(take_word(text));
  const auto pc = parse_address(take_word(text));
  if (!sp || !pc || !take_word(text).empty()) return std::nullopt;
  activity.sp = *sp;
  activity.pc = *pc;
  return activity;
}

std::optional<ThreadFigures> parse_figures(std::string_view text) {
  const auto ran = parse_number<uint64_t>(take_word(text));
  const auto ready = parse_number<uint64_t>(take_word(text));
  const auto turns = parse_number<uint64_t>(take_word(text));
  if (!ran || !ready || !turns) return std::nullopt;
  return ThreadFigures{*ran, *ready, *turns};
}

std::optional<char> parse_state(std::string_view text) {
  const size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  text.remove_prefix(bracket + 1);
  const std::string_view word = take_word(text);
  return word.size() == 1 ? std::optional(word.front()) : std::nullopt;
}

Result<ThreadFiles> ThreadFiles::open(pid_t pid, pid_t tid) {
  ThreadFiles files(pid, tid);
  files.figures_ = open_file(pid, tid, "schedstat");
  if (!files.figures_.is_open()) return fail_errno("open " + path_of(pid, tid, "schedstat"));
  files.activity_ = open_file(pid, tid, "syscall");
  if (!files.activity_.is_open()) files.see_state_only();
  return files;
}

std::optional<ThreadFigures> ThreadFiles::figures() const {
  std::array<char, kLongestLine> room;
  const auto line = read_line(figures_, room);
  return line ? parse_figures(*line) : std::nullopt;
}

std::optional<ThreadActivity> ThreadFiles::activity() {
  if (!activity_.is_open()) return activity_by_state();
  std::array<char, kLongestLine> room;
  if (const auto line = read_line(activity_, room)) return parse_activity(*line);
  if (errno == ESRCH) return std::nullopt;
  see_state_only();  // it has become somebody else's, by executing a program
  return activity_by_state();
}

void ThreadFiles::see_state_only() {
  activity_.reset();
  state_ = open_file(pid_, tid_, "stat");
}

std::optional<ThreadActivity> ThreadFiles::activity_by_state() const {
  std::array<char, kLongestLine> room;
  const auto line = read_line(state_, room);
  const auto state = line ? parse_state(*line) : std::nullopt;
  if (!state || *state == 'Z' || *state == 'X') return std::nullopt;
  ThreadActivity activity;
  activity.is_running = *state == 'R';
  return activity;
}

std::optional<std::string> ThreadFiles::name() {
  if (!name_.is_open()) name_ = open_file(pid_, tid_, "comm");
  std::array<char, kLongestLine> room;
  auto line = read_line(name_, room);
  if (!line) return std::nullopt;
  if (line->ends_with('\n')) line->remove_suffix(1);
  return std::string(*line);
}

char ThreadFiles::state() const {
  const auto text = read_proc_file(path_of(pid_, tid_, "stat"), kLongestState);
  return text.ok() ? parse_state(*text).value_or('?') : '?';
}

std::string ThreadFiles::waiting_in() const {
  auto text = read_proc_file(path_of(pid_, tid_, "wchan"), kLongestLine);
  return text.ok() && *text != "0" ? text.take() : std::string();
}

}  // namespace atys::linux
