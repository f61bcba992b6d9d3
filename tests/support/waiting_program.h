// SPDX-License-Identifier: Apache-2.0
// A program that writes a line and then waits for its standard input to end: meanwhile its stack is known.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace atys::test {

class WaitingProgram {
 public:
  explicit WaitingProgram(std::vector<std::string> command) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      for (std::string& argument : command) arguments.push_back(argument.data());
      arguments.push_back(nullptr);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
  }
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;
  ~WaitingProgram() { finish(); }

  pid_t pid() const { return pid_; }

  // Up to the end of a line; empty: it ended without one, or could not be started.
  std::string read_line() const {
    std::string line;
    for (char byte = 0; ::read(output_, &byte, 1) == 1 && byte != '\n';) line += byte;
    return line;
  }
  // Lets it go on, and says its exit status.
  int finish() {
    if (pid_ <= 0) return -1;
    ::close(input_);
    int status = -1;
    ::waitpid(pid_, &status, 0);
    ::close(output_);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace atys::test
