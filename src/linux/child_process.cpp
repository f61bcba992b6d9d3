// SPDX-License-Identifier: Apache-2.0
#include "linux/child_process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/pipe.h"

namespace atys::linux {

namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

const std::string* named_in(const char* entry, const std::vector<std::string>& more) {
  const std::string_view name(entry, std::min(std::strlen(entry), std::strcspn(entry, "=") + 1));
  const auto found = std::ranges::find_if(more, [&](const std::string& other) { return other.starts_with(name); });
  return found != more.end() ? &*found : nullptr;
}

// A variable that is there already keeps its place.
std::vector<char*> environment_with(const std::vector<std::string>& more) {
  std::vector<char*> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string* other = named_in(*entry, more);
    all.push_back(other != nullptr ? const_cast<char*>(other->c_str()) : *entry);
  }
  for (const std::string& one : more) {
    char* added = const_cast<char*>(one.c_str());
    if (std::ranges::find(all, added) == all.end()) all.push_back(added);
  }
  all.push_back(nullptr);
  return all;
}

constexpr char kGo = 1;
constexpr char kGoWithOptional = 2;

// Runs in the child, like what follows: system calls only.
void settle_in(const ChildOptions& options) {
  if (options.own_group) ::setpgid(0, 0);
  if (options.nice) ::setpriority(PRIO_PROCESS, 0, *options.nice);
  if (options.in >= 0) ::dup2(options.in, STDIN_FILENO);
  if (options.out >= 0) ::dup2(options.out, STDOUT_FILENO);
  if (options.err >= 0) ::dup2(options.err, STDERR_FILENO);
  // What the parent blocked to read from a descriptor must not stay blocked in the command.
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Between fork and exec.
[[noreturn]] void wait_and_execute(int gate, int failure, char* const* arguments, char** optional_environment) {
  char go = 0;
  ssize_t got = 0;
  do got = ::read(gate, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(0);
  if (go == kGoWithOptional) environ = optional_environment;
  ::execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof(error));
  ::_exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::create(const std::vector<std::string>& command, const ChildOptions& options) {
  if (command.empty() || command[0].empty())
    return fail(ErrorCode::InvalidInput, "no command given", "atys capture -- COMMAND ARG…");
  const std::vector<char*> arguments = pointers_to(command);
  std::vector<char*> environment = environment_with(options.more_environment);
  std::vector<std::string> with_optional = options.more_environment;
  with_optional.insert(with_optional.end(), options.optional_environment.begin(), options.optional_environment.end());
  std::vector<char*> optional_environment = environment_with(with_optional);
  Pipe gate = TRY(make_pipe());
  Pipe failure = TRY(make_pipe());
  ChildProcess child;
  child.name_ = command[0];
  child.pid_ = ::fork();
  if (child.pid_ < 0) return fail_errno("start " + child.name_);
  if (child.pid_ == 0) {
    ::close(gate.write.get());
    settle_in(options);
    environ = environment.data();
    wait_and_execute(gate.read.get(), failure.write.get(), arguments.data(), optional_environment.data());
  }
  if (options.own_group) ::setpgid(child.pid_, child.pid_);  // whoever of us is first
  child.gate_ = std::move(gate.write);
  child.failure_ = std::move(failure.read);
  child.pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
  if (!child.pidfd_.is_open()) return fail_errno("watch " + child.name_);
  return child;
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || is_released_ || !gate_.is_open()) return;
  gate_.reset();
  ::waitpid(pid_, nullptr, 0);
}

Result<> ChildProcess::release() {
  is_released_ = true;
  const char go = takes_optional_ ? kGoWithOptional : kGo;
  if (::write(gate_.get(), &go, 1) != 1) return fail_errno("start " + name_);
  int error = 0;
  ssize_t got = 0;
  do got = ::read(failure_.get(), &error, sizeof(error));
  while (got < 0 && errno == EINTR);
  if (got != sizeof(error)) return {};  // closed by exec: it runs
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return fail(error == ENOENT ? ErrorCode::NotFound : ErrorCode::PermissionDenied,
              "run " + name_ + ": " + std::strerror(error));
}

int ChildProcess::poll_exit() {
  if (exit_status_ >= 0 || pid_ < 0) return exit_status_;
  // Where we are its tracer, a wait that asks for its end is told of stops too, and takes them from who awaits them: look
  // first.
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_) return -1;
  if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) return -1;
  int status = 0;
  if (::wait4(pid_, &status, WNOHANG, &usage_) != pid_) return -1;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_status_;
}

void ChildProcess::send_signal(int number) const {
  if (pid_ > 0 && exit_status_ < 0) ::kill(pid_, number);
}

}  // namespace atys::linux
