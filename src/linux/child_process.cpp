// SPDX-License-Identifier: Apache-2.0
#include "linux/child_process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace atys::linux {

namespace {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Runs in the child, between fork and exec: system calls only.
[[noreturn]] void wait_and_execute(int gate, int failure, char* const* arguments) {
  char go = 0;
  ssize_t got = 0;
  do got = ::read(gate, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) ::_exit(0);
  ::execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof(error));
  ::_exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::create(const std::vector<std::string>& command) {
  if (command.empty() || command[0].empty())
    return fail(ErrorCode::InvalidInput, "no command given", "atys capture -- COMMAND ARG…");
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  Pipe gate = TRY(make_pipe());
  Pipe failure = TRY(make_pipe());
  ChildProcess child;
  child.name_ = command[0];
  child.pid_ = ::fork();
  if (child.pid_ < 0) return fail_errno("start " + child.name_);
  if (child.pid_ == 0) {
    ::close(gate.write.get());
    // What the parent blocked to read from a descriptor must not stay blocked in the command.
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    wait_and_execute(gate.read.get(), failure.write.get(), arguments.data());
  }
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
  const char go = 1;
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
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return -1;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_status_;
}

void ChildProcess::send_signal(int number) const {
  if (pid_ > 0 && exit_status_ < 0) ::kill(pid_, number);
}

}  // namespace atys::linux
