// SPDX-License-Identifier: Apache-2.0
// Real Node.js processes to attach to. ATYS_NODE names another one than that on PATH.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "capture/node/loopback_stream.h"
#include "capture/profiling_kernel.h"
#include "capture/self_recording/own_recorder.h"
#include "capture/target/detect.h"
#include "linux/process.h"
#include "linux/process_sockets.h"
#include "support/compiled_program.h"

namespace atys::test {

using capture::node::Deadline;
using capture::node::wait_until;

// Of everything that a test waits for: nobody waits that long unless something is wrong.
inline constexpr uint64_t kPatienceMs = 60'000;

inline std::string node_program() {
  const char* asked = std::getenv("ATYS_NODE");
  return asked == nullptr ? "node" : asked;
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline size_t entries(const std::string& folder) {
  size_t count = 0;
  DIR* stream = ::opendir(folder.c_str());
  while (stream != nullptr && ::readdir(stream) != nullptr) ++count;
  if (stream != nullptr) ::closedir(stream);
  return count;
}

inline void bring_loopback_up() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ::ioctl(fd, SIOCSIFFLAGS, &request);
  ::close(fd);
}

// `node OPTION… SCRIPT`, with its output in files. Its inspector's port is any that is free, so that tests may run beside
// each other and beside other Node.js processes of this machine.
class NodeChild {
 public:
  explicit NodeChild(std::vector<std::string> words, bool in_own_network = false) {
    words.insert(words.begin(), node_program());
    pid_ = ::fork();
    if (pid_ == 0) run(words, in_own_network);
  }
  ~NodeChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  NodeChild(const NodeChild&) = delete;

  pid_t pid() const { return pid_; }
  std::string output() const { return text_of(folder_.file("out")); }
  std::string errors() const { return text_of(folder_.file("err")); }
  size_t open_files() const { return entries("/proc/" + std::to_string(pid_) + "/fd"); }
  size_t threads() const { return entries("/proc/" + std::to_string(pid_) + "/task"); }

  // Scripts say so when they have begun.
  bool wait_for(const std::string& text) const {
    return wait_until(Deadline::in_ms(kPatienceMs),
                      [&] { return output().find(text) != std::string::npos || has_ended(); }) &&
           !has_ended();
  }
  bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
  }
  // Once it has ended.
  int exit_status() const {
    siginfo_t info{};
    const int found = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return found == 0 && info.si_code == CLD_EXITED ? info.si_status : -1;
  }
  size_t listeners() const {
    const auto all = linux::read_tcp_listeners(pid_);
    const auto own = linux::read_socket_inodes(pid_);
    if (!all.ok() || !own.ok()) return 0;
    return static_cast<size_t>(
        std::ranges::count_if(*all, [&](const linux::TcpSocket& socket) { return own->contains(socket.inode); }));
  }

 private:
  [[noreturn]] void run(const std::vector<std::string>& words, bool in_own_network) {
    if (in_own_network) {
      if (::unshare(CLONE_NEWNET) != 0) ::_exit(126);
      bring_loopback_up();
    }
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    ::dup2(::open(folder_.file("out").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), 1);
    ::dup2(::open(folder_.file("err").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), 2);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }

  BuildFolder folder_;
  pid_t pid_ = -1;
};

// Six of ten pieces of work are of sixty, three of thirty, one of ten. A call with several targets is not inlined.
inline constexpr const char* kSplit = R"(
function sixty(n) { let x = 60; for (let i = 0; i < n; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; } return x; }
function thirty(n) { let x = 30; for (let i = 0; i < n; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; } return x; }
function ten(n) { let x = 10; for (let i = 0; i < n; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; } return x; }
const pieces = [sixty, sixty, sixty, sixty, sixty, sixty, thirty, thirty, thirty, ten];
let dice = 42, kept = 0;
function work() {
  dice = (Math.imul(dice, 1103515245) + 12345) >>> 0;
  kept ^= pieces[(dice >>> 8) % 10](20000);
}
function turn() { for (let i = 0; i < 20; i++) work(); setImmediate(turn); }
turn();
for (let i = 0; i < 2000; i++) work();
console.log('begun');
)";

inline constexpr const char* kWorkers = R"(
const { Worker, isMainThread } = require('worker_threads');
function of_worker() { const end = Date.now() + 50; let x = 1; while (Date.now() < end) x++; return x; }
function of_main() { const end = Date.now() + 50; let x = 1; while (Date.now() < end) x++; return x; }
function turn() { if (isMainThread) of_main(); else of_worker(); setImmediate(turn); }
if (isMainThread) new Worker(__filename).on('online', () => setTimeout(() => console.log('begun'), 300));
turn();
)";

inline constexpr const char* kIdle = R"(
function busy() { const end = Date.now() + 20; let x = 1; while (Date.now() < end) x++; return x; }
setInterval(busy, 100);
console.log('begun');
)";

// A port that is free now, and a socket that may take it. Not one of those that the kernel hands out: who asks for any port
// must not get it between our letting it go and its being opened.
struct Port {
  Port() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int tries = 0; tries < 100; ++tries) {
      fd.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      address.sin_port = htons(static_cast<uint16_t>(15'000 + (::getpid() * 7 + tries * 101) % 15'000));
      if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
    }
    ADD_FAILURE() << "no port is free";
  }
  std::string number() const { return std::to_string(ntohs(address.sin_port)); }
  UniqueFd fd;
  sockaddr_in address{};
};

class LiveNode : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system((node_program() + " --version >/dev/null 2>&1").c_str()) != 0) GTEST_SKIP() << "there is no node";
  }

  std::unique_ptr<NodeChild> begin(const std::string& script, std::vector<std::string> options = {"--inspect-port=0"},
                                   bool in_own_network = false, const std::string& name = "script.js") {
    options.push_back(folder_.write(name, script));
    auto child = std::make_unique<NodeChild>(std::move(options), in_own_network);
    EXPECT_TRUE(child->wait_for("begun")) << child->errors();
    return child;
  }

  static Result<capture::Attachment> attach(pid_t pid, double hz = 999, std::string_view kind = "cpu") {
    const capture::Detection detection = TRY(capture::detect(pid));
    // One of several: tests attach to one after the other.
    const capture::RecordingPlan plan{.target = capture::ProcessTarget{{pid, ::getpid()}},
                                      .kind = TRY(capture::Kind::parse(kind)),
                                      .may_open_inspector = true,
                                      .hz = hz};
    for (const capture::DetectedRuntime& runtime : detection.runtimes)
      if (runtime.kernel == "node") return capture::find_kernel("node")->attach({pid, &runtime, &plan});
    return fail(ErrorCode::NotFound, "no V8 was found in it");
  }

  // Samples of a function itself, by name.
  static std::map<std::string, double> leaves(const Profile& profile) {
    std::map<std::string, double> counts;
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      const auto stack = profile.stacks[profile.samples.stack(row)];
      counts[profile::frame_name(profile, stack.front())] += static_cast<double>(profile.samples.value(row, 0));
    }
    return counts;
  }

  // As a recording does: a runtime that is not ready yet, or a machine that is too busy to answer in time, is asked again.
  static testing::AssertionResult start(capture::OwnRecorder& recorder) {
    Result<> started;
    wait_until(Deadline::in_ms(kPatienceMs), [&] {
      started = recorder.start();
      return started.ok() || started.error().code != ErrorCode::Unavailable;
    });
    return started.ok() ? testing::AssertionSuccess() : testing::AssertionFailure() << started.error().message;
  }

  // Waits until the process has used so much CPU time more, all threads together: a pause says nothing of what a busy
  // machine gives it.
  static void spend(pid_t pid, uint64_t cpu_ms) {
    const auto used = [&] {
      const Result<uint64_t> cpu_ns = linux::cpu_time_ns(pid);
      return cpu_ns.ok() ? *cpu_ns : 0;
    };
    const uint64_t end = used() + cpu_ms * 1'000'000;
    EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return used() >= end; }));
  }

  BuildFolder folder_;
};

}  // namespace atys::test
