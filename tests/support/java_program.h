// SPDX-License-Identifier: Apache-2.0
// Java machines of this computer, and tests/workloads/Split.java running in one of them.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/compiled_program.h"

namespace atys::test {

// Folders with bin/java: JAVA_HOMES (with colons between) or those of /usr/lib/jvm. Each once. ROOT//FOLDER is a folder of
// another system that lies below ROOT: its programs run in that root, in namespaces of their own.
inline std::vector<std::string> java_homes() {
  std::vector<std::string> homes;
  const auto add = [&](const std::filesystem::path& home) {
    std::error_code problem;
    if (home.string().find("//") != std::string::npos) {
      if (std::filesystem::exists(home / "bin", problem)) homes.push_back(home.string());
      return;
    }
    const auto real = std::filesystem::canonical(home, problem);
    if (problem || !std::filesystem::exists(real / "bin/java", problem)) return;
    for (const std::string& known : homes)
      if (known == real.string()) return;
    homes.push_back(real.string());
  };
  if (const char* given = std::getenv("JAVA_HOMES")) {
    std::string text = given;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(':', at), text.size());
      add(text.substr(at, end - at));
      at = end + 1;
    }
    return homes;
  }
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/jvm", problem)) add(entry.path());
  return homes;
}

inline std::string split_source() { return ATYS_SOURCE_DIR "/tests/workloads/Split.java"; }

class JavaProgram {
 public:
  struct Options {
    std::string home;
    std::vector<std::string> flags;  // of the machine
    std::string mode = "cpu";
    std::optional<uid_t> user;
    bool is_contained = false;  // in pid and mount namespaces of its own, with a /tmp of its own; needs root
  };

  // The folder of Split.class, compiled for Java 8 by the first compiler that there is; empty where there is none.
  static const std::string& compiled() {
    static const BuildFolder folder;
    static const std::string path = [] {
      for (const std::string& home : java_homes())
        if (home.find("//") == std::string::npos &&
            folder.run("chmod 755 . && '" + home + "/bin/javac' --release 8 -nowarn -Xlint:none -d . '" + split_source() +
                       "' >/dev/null 2>&1"))
          return folder.file("");
      return folder.run("chmod 755 . && javac --release 8 -nowarn -Xlint:none -d . '" + split_source() + "' >/dev/null 2>&1")
                 ? folder.file("")
                 : std::string();
    }();
    return path;
  }

  JavaProgram(const BuildFolder& folder, const Options& options)
      : ready_(folder.file("ready-" + std::to_string(++started()))),
        output_(folder.file("output-" + std::to_string(started()))),
        truth_(folder.file("truth-" + std::to_string(started()))) {
    if (options.user) (void)folder.run("chmod 777 .");
    if (options.is_contained) contain(folder);
    (void)compiled();
    pid_ = ::fork();
    if (pid_ == 0) options.is_contained ? become_contained(options) : become(options);
    for (int i = 0; i < 3000 && !std::filesystem::exists(ready_) && is_running(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    inner_ = options.is_contained ? first_child(pid_) : pid_;
  }
  ~JavaProgram() {
    if (pid_ <= 0) return;
    if (!status_) {
      if (inner_ != pid_ && inner_ > 0) ::kill(inner_, SIGKILL);
      ::kill(pid_, SIGCONT);
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    // A machine that was killed leaves its socket.
    ::unlink((temp_ + "/.java_pid" + std::to_string(own_pid())).c_str());
  }
  JavaProgram(const JavaProgram&) = delete;
  JavaProgram& operator=(const JavaProgram&) = delete;

  pid_t pid() const { return inner_; }
  // What it sees as /tmp, as we see it.
  const std::string& temp() const { return temp_; }
  // The pid that it knows itself by.
  pid_t own_pid() const { return inner_ == pid_ ? pid_ : 1; }
  bool is_running() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return !status_;
  }
  // What it wrote to standard output and standard error.
  std::string output() const { return read(output_); }
  // Ends it as an operator would, and returns the truth that it tells then.
  std::string end() {
    ::kill(inner_, SIGTERM);
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, 0) == pid_) status_ = status;
    return read(truth_);
  }

 private:
  static int& started() {
    static int count = 0;
    return count;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The /tmp of the process, with its classes in it.
  void contain(const BuildFolder& folder) {
    temp_ = folder.file("contained-" + std::to_string(started()));
    (void)folder.run("mkdir -p '" + temp_ + "' && chmod 1777 '" + temp_ + "' && cp '" + compiled() + "'/*.class '" + temp_ +
                     "'");
    ready_ = temp_ + "/ready";
    output_ = temp_ + "/output";
    truth_ = temp_ + "/truth";
  }
  static pid_t first_child(pid_t pid) {
    const std::string name = std::to_string(pid);
    return static_cast<pid_t>(std::atoi(read("/proc/" + name + "/task/" + name + "/children").c_str()));
  }
  [[noreturn]] void become_contained(const Options& options) {
    if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) ::_exit(125);
    const pid_t inner = ::fork();
    if (inner != 0) {
      int status = 0;
      ::waitpid(inner, &status, 0);
      ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    const std::string root = options.home.substr(0, std::min(options.home.find("//"), options.home.size()));
    const bool is_elsewhere = root.size() < options.home.size();
    const std::string below = is_elsewhere ? root : "";
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(temp_.c_str(), (below + "/tmp").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount("proc", (below + "/proc").c_str(), "proc", 0, nullptr) != 0)
      ::_exit(124);
    Options inside = options;
    if (is_elsewhere) inside.home = options.home.substr(root.size() + 1);
    if (is_elsewhere && (::chroot(root.c_str()) != 0 || ::chdir("/") != 0)) ::_exit(123);
    ready_ = "/tmp/ready";
    output_ = "/tmp/output";
    truth_ = "/tmp/truth";
    temp_ = "/tmp";
    become(inside);
  }
  [[noreturn]] void become(const Options& options) {
    ::setenv("WORKLOAD_READY", ready_.c_str(), 1);
    ::setenv("WORKLOAD_TRUTH", truth_.c_str(), 1);
    const int out = ::open(output_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0666);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (options.user && (::setgid(*options.user) != 0 || ::setuid(*options.user) != 0)) ::_exit(126);
    std::vector<std::string> words = {options.home + "/bin/java", "-Xmx64m"};
    words.insert(words.end(), options.flags.begin(), options.flags.end());
    words.insert(words.end(), {"-cp", options.is_contained ? temp_ : compiled(), "Split", "600", options.mode});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }

  std::string ready_;
  std::string output_;
  std::string truth_;
  std::string temp_ = "/tmp";
  pid_t pid_ = -1;
  pid_t inner_ = -1;  // the machine, where it is not our own child
  std::optional<int> status_;
};

}  // namespace atys::test
