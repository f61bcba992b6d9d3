// SPDX-License-Identifier: Apache-2.0
// Real Node.js processes. ATYS_NODE names another one than that on PATH; ATYS_CYCLES says how often to attach.
#include "capture/node/node_recorder.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "capture/detect.h"
#include "capture/own_recording.h"
#include "capture/profiling_kernel.h"
#include "capture/recording.h"
#include "linux/namespaces.h"
#include "linux/process.h"
#include "linux/process_sockets.h"
#include "support/compiled_program.h"

namespace atys::capture::node {
namespace {

std::string node_program() {
  const char* asked = std::getenv("ATYS_NODE");
  return asked == nullptr ? "node" : asked;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

size_t entries(const std::string& folder) {
  size_t count = 0;
  DIR* stream = ::opendir(folder.c_str());
  while (stream != nullptr && ::readdir(stream) != nullptr) ++count;
  if (stream != nullptr) ::closedir(stream);
  return count;
}

void bring_loopback_up() {
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
    return wait_until(Deadline::in_ms(20'000), [&] { return output().find(text) != std::string::npos || has_ended(); }) &&
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

  test::ScratchFolder folder_;
  pid_t pid_ = -1;
};

// Six of ten pieces of work are of sixty, three of thirty, one of ten. A call with several targets is not inlined.
constexpr const char* kSplit = R"(
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

constexpr const char* kWorkers = R"(
const { Worker, isMainThread } = require('worker_threads');
function of_worker() { const end = Date.now() + 50; let x = 1; while (Date.now() < end) x++; return x; }
function of_main() { const end = Date.now() + 50; let x = 1; while (Date.now() < end) x++; return x; }
function turn() { if (isMainThread) of_main(); else of_worker(); setImmediate(turn); }
if (isMainThread) new Worker(__filename).on('online', () => setTimeout(() => console.log('begun'), 300));
turn();
)";

constexpr const char* kIdle = R"(
function busy() { const end = Date.now() + 20; let x = 1; while (Date.now() < end) x++; return x; }
setInterval(busy, 100);
console.log('begun');
)";

// How a process comes to its end when it is told to: at once, for lack of anything to do, by an error.
constexpr const char* kExits = "process.on('SIGTERM', () => process.exit(7));";
constexpr const char* kRunsOut = "process.once('SIGTERM', () => { turn = () => {}; process.exitCode = 7; });";
constexpr const char* kThrows = "process.on('SIGTERM', () => { throw new Error('of the program'); });";

class NodeRecorderTest : public testing::Test {
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

  static Result<Attachment> attach(pid_t pid, double hz = 999, KindName kind = KindName::Cpu) {
    const Detection detection = TRY(detect(pid));
    const RecordingPlan plan{.target = ProcessTarget{{pid}}, .kind = {kind, {}}, .hz = hz};
    for (const DetectedRuntime& runtime : detection.runtimes)
      if (runtime.kernel == "node") return find_kernel("node")->attach({pid, &runtime, &plan});
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

  test::ScratchFolder folder_;
};

constexpr std::chrono::milliseconds kLong{60'000};

// Waits until the process has used so much CPU time more: a pause says nothing of what a busy machine gives it.
void spend(pid_t pid, uint64_t cpu_ns) {
  const uint64_t end = linux::cpu_time_ns(pid).value() + cpu_ns;
  EXPECT_TRUE(wait_until(Deadline::in_ms(60'000), [&] { return linux::cpu_time_ns(pid).value() >= end; }));
}

void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST(inspector_door, gives_a_process_that_gets_little_of_a_busy_machine_time_to_begin) {
  EXPECT_TRUE(may_be_starting(1, 0.9));
  EXPECT_TRUE(may_be_starting(20, 0.1)) << "it has hardly run yet";
  EXPECT_FALSE(may_be_starting(20, 3));
  EXPECT_FALSE(may_be_starting(3600, 0.1)) << "it sleeps";
}

TEST_F(NodeRecorderTest, shows_functions_with_their_shares_and_lines_and_leaves_nothing) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_NE(attachment->recorder, nullptr);
  const Result<> started = attachment->recorder->start();
  ASSERT_TRUE(started.ok()) << started.error().message;
  EXPECT_EQ(child->listeners(), 1u);
  pause_ms(1500);
  const auto profile = attachment->recorder->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_EQ(attachment->recorder->covered_threads(), std::vector<pid_t>{child->pid()});

  auto counts = leaves(*profile);
  const double all = counts["sixty"] + counts["thirty"] + counts["ten"];
  ASSERT_GT(all, 50);
  for (const auto& [name, truth] : std::map<std::string, double>{{"sixty", 0.6}, {"thirty", 0.3}, {"ten", 0.1}}) {
    const double allowed = 0.01 + 4 * std::sqrt(truth * (1 - truth) / all);
    EXPECT_NEAR(counts[name] / all, truth, allowed) << name << " of " << all;
  }
  std::set<int64_t> lines;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    const auto frame = profile->frames[profile->stacks[profile->samples.stack(row)].front()];
    const auto line = profile->lines[frame.lines].front();
    if (profile->text(profile->functions[line.function].name) != "sixty") continue;
    EXPECT_EQ(profile->text(frame.kind), kJavaScriptKind);
    EXPECT_EQ(profile->text(profile->functions[line.function].filename), folder_.file("script.js"));
    EXPECT_EQ(profile->functions[line.function].start_line, 2);
    lines.insert(line.line);
  }
  EXPECT_TRUE(lines.contains(2));
  EXPECT_EQ(child->output(), "begun\n");
  EXPECT_FALSE(child->has_ended());
}

TEST_F(NodeRecorderTest, goes_on_from_window_to_window) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  for (const bool is_last : {false, false, true}) {
    pause_ms(200);
    const auto profile = attachment->recorder->take(is_last);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_GT(leaves(*profile)["sixty"], 0);
  }
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_FALSE(attachment->recorder->take(true).ok());
}

TEST_F(NodeRecorderTest, goes_on_at_another_rate_when_told_so) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  for (const double hz : {20.0, 150.0}) {
    attachment->recorder->set_rate(hz);
    pause_ms(1000);
    const auto profile = attachment->recorder->take(false);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_GT(leaves(*profile)["sixty"], 0) << hz;
  }
}

TEST_F(NodeRecorderTest, keeps_what_it_recorded_when_the_rate_changes) {
  const auto child = begin(kSplit);
  auto attachment = attach(child->pid(), 150);
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  spend(child->pid(), 500'000'000);
  attachment->recorder->set_rate(20);
  attachment->recorder->set_rate(50);
  const auto profile = attachment->recorder->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  auto counts = leaves(*profile);
  EXPECT_GT(counts["sixty"] + counts["thirty"] + counts["ten"], 10) << "some 75 were taken before the first change";
  EXPECT_EQ(attachment->recorder->covered_threads(), std::vector<pid_t>{child->pid()});
  EXPECT_EQ(child->listeners(), 0u);
}

// A cap that hardly anything fits into: the guard grants a fifth of the rate from the beginning, and less soon after.
TEST_F(NodeRecorderTest, samples_itself_no_more_often_than_the_overhead_guard_grants) {
  const auto child = begin(kSplit);
  auto recording = Recording::open({.target = ProcessTarget{{child->pid()}}, .hz = 199, .max_overhead = 0.0005});
  if (!recording.ok()) GTEST_SKIP() << recording.error().message;
  ASSERT_TRUE((*recording)->start().ok());
  const uint64_t end = linux::cpu_time_ns(child->pid()).value() + 1'500'000'000;
  const Deadline deadline = Deadline::in_ms(60'000);
  while (linux::cpu_time_ns(child->pid()).value() < end && !deadline.is_over()) (*recording)->step(50);
  const double granted = (*recording)->use().grants.empty() ? 42.5 : (*recording)->use().grants.front().hz;
  const double seconds = (*recording)->elapsed_seconds();
  const Profile profile = (*recording)->finish();
  ASSERT_LT(granted, 60);
  auto counts = leaves(profile);
  const double all = counts["sixty"] + counts["thirty"] + counts["ten"];
  EXPECT_GT(all, 0);
  EXPECT_LT(all, granted * seconds * 1.5 + 15) << "in " << seconds << " s at most at " << granted << " Hz; asked were 199";
}

TEST_F(NodeRecorderTest, writes_only_of_the_debugger_and_only_to_standard_error) {
  const auto child = begin(kIdle);
  {
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    ASSERT_TRUE(attachment->recorder->start().ok());
  }
  EXPECT_EQ(child->listeners(), 0u) << "the recorder went without a last look";
  EXPECT_EQ(child->output(), "begun\n");
  std::istringstream lines(child->errors());
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("Debugger ") || line.starts_with("For help, see:")) << line;
}

TEST_F(NodeRecorderTest, leaves_idle_time_out_unless_it_is_asked_for) {
  const auto child = begin(kIdle);
  for (const KindName kind : {KindName::Cpu, KindName::Wall}) {
    auto attachment = attach(child->pid(), 999, kind);
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    ASSERT_TRUE(attachment->recorder->start().ok());
    pause_ms(600);
    const auto profile = attachment->recorder->take(true);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    auto counts = leaves(*profile);
    EXPECT_EQ(counts["(idle)"] > 0, kind == KindName::Wall);
    EXPECT_EQ(profile->text(profile->value_types()[1].type), kind == KindName::Wall ? "wall" : "cpu");
  }
}

TEST_F(NodeRecorderTest, sees_worker_threads_as_threads_of_their_own) {
  const auto child = begin(kWorkers);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  pause_ms(800);
  const auto profile = attachment->recorder->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(attachment->recorder->covered_threads().size(), 2u);
  // Loops that were entered long ago may show as their callers: both threads have samples of this script, and no thread has
  // functions of the other.
  std::map<int64_t, std::set<std::string>> names;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    int64_t tid = 0;
    for (const profile::LabelId id : profile->label_sets[profile->samples.labels(row)])
      if (profile->text(profile->labels[id].key) == "thread.id") tid = profile->labels[id].number;
    for (const profile::FrameId frame : profile->stacks[profile->samples.stack(row)])
      names[tid].insert(profile::frame_name(*profile, frame));
  }
  ASSERT_EQ(names.size(), 2u);
  for (const auto& [tid, functions] : names) {
    EXPECT_TRUE(functions.contains("turn")) << tid;
    EXPECT_FALSE(functions.contains(tid == child->pid() ? "of_worker" : "of_main")) << tid;
  }
}

TEST_F(NodeRecorderTest, works_with_modules) {
  const auto child = begin("setInterval(() => {}, 10); console.log('begun');", {"--inspect-port=0"}, false, "script.mjs");
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 0u);
}

TEST_F(NodeRecorderTest, closes_the_inspector_of_a_process_that_never_comes_back_to_its_event_loop) {
  const auto child =
      begin("console.log('begun'); function loop() { let x = 1; while (true) x = Math.sqrt(x + 1); } loop();");
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  const Result<> started = attachment->recorder->start();
  ASSERT_TRUE(started.ok()) << started.error().message;
  pause_ms(100);
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_FALSE(child->has_ended());
}

TEST_F(NodeRecorderTest, reaches_a_process_in_another_network_namespace) {
  if (::geteuid() != 0) GTEST_SKIP() << "wants root";
  const auto child = begin(kSplit, {}, true);
  if (!linux::foreign_namespaces(child->pid()).net) GTEST_SKIP() << "no network namespace could be made";
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  const Result<> started = attachment->recorder->start();
  ASSERT_TRUE(started.ok()) << started.error().message;
  pause_ms(200);
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_FALSE(linux::foreign_namespaces(::getpid()).net);
}

TEST_F(NodeRecorderTest, leaves_a_process_alone_that_listens_for_the_signal_itself) {
  const auto child = begin(
      "process.on('SIGTERM', () => {}); process.on('SIGUSR1', () => console.log('rotated')); process.on('SIGHUP', () => {});"
      "setInterval(() => {}, 10); console.log('begun');");
  const auto attachment = attach(child->pid());
  ASSERT_FALSE(attachment.ok());
  EXPECT_NE(attachment.error().message.find("listens for SIGUSR1"), std::string::npos) << attachment.error().message;
  EXPECT_EQ(child->output(), "begun\n");
}

TEST_F(NodeRecorderTest, takes_a_process_that_listens_for_other_signals) {
  const auto child = begin(
      "for (const s of ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT']) process.on(s, () => {});"
      "setInterval(() => {}, 10); console.log('begun');");
  const auto attachment = attach(child->pid());
  EXPECT_TRUE(attachment.ok()) << attachment.error().message;
}

TEST_F(NodeRecorderTest, leaves_a_stopped_process_alone) {
  const auto child = begin(kIdle);
  ::kill(child->pid(), SIGSTOP);
  wait_until(Deadline::in_ms(5000), [&] { return linux::read_process(child->pid())->state == 'T'; });
  EXPECT_FALSE(attach(child->pid()).ok());
  ::kill(child->pid(), SIGCONT);
  EXPECT_TRUE(wait_until(Deadline::in_ms(5000), [&] { return attach(child->pid()).ok(); }));
}

// A port that is free now, and a socket that may take it.
struct Port {
  Port() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) == 0)
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
  }
  std::string number() const { return std::to_string(ntohs(address.sin_port)); }
  UniqueFd fd;
  sockaddr_in address{};
};

TEST_F(NodeRecorderTest, does_not_open_an_inspector_whose_port_another_process_has) {
  Port port;
  ASSERT_EQ(::listen(port.fd.get(), 1), 0);
  const auto child = begin(kIdle, {"--inspect-port=" + port.number()});
  const auto detection = detect(child->pid());
  ASSERT_TRUE(detection.ok() && !detection->runtimes.empty());
  const auto process = look_at_process(child->pid(), detection->runtimes.front().path);
  ASSERT_TRUE(process.ok());
  const auto refused = InspectorDoor::open(*process, Deadline::in_ms(100));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("another process listens on port " + port.number()), std::string::npos);
  EXPECT_EQ(child->errors(), "");

  port.fd.reset();
  NodeRecorder recorder(*process, {});
  const Result<> started = recorder.start();
  EXPECT_TRUE(started.ok()) << started.error().message;
}

TEST_F(NodeRecorderTest, records_several_processes_at_once_though_all_want_the_same_port) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const std::vector<std::string> options{"--inspect-port=" + number};
  const auto one = begin(kSplit, options);
  const auto two = begin(kSplit, options);
  for (int times = 0; times < 2; ++times) {
    auto first = attach(one->pid());
    auto second = attach(two->pid());
    ASSERT_TRUE(first.ok() && second.ok());
    for (auto* attachment : {&*first, &*second}) {
      const Result<> started = attachment->recorder->start();
      ASSERT_TRUE(started.ok()) << started.error().message;
    }
    pause_ms(200);
    for (auto* attachment : {&*first, &*second}) {
      const auto profile = attachment->recorder->take(true);
      ASSERT_TRUE(profile.ok()) << profile.error().message;
      EXPECT_GT(leaves(*profile)["sixty"], 0);
    }
    EXPECT_EQ(one->listeners() + two->listeners(), 0u);
  }
  // Each is as it was: the signal opens the inspector where it always would have.
  ::kill(one->pid(), SIGUSR1);
  EXPECT_TRUE(wait_until(Deadline::in_ms(10'000), [&] {
    return one->errors().rfind("ws://127.0.0.1:" + number + "/") > one->errors().rfind("Debugger attached");
  })) << one->errors();
}

TEST_F(NodeRecorderTest, uses_an_inspector_that_is_open_and_leaves_it_open) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const auto child = begin(kSplit, {"--inspect=127.0.0.1:" + number});
  if (child->listeners() != 1) GTEST_SKIP() << "somebody else took the port meanwhile";
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  pause_ms(200);
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 1u);
}

TEST_F(NodeRecorderTest, does_not_join_a_debugger) {
  Port port;
  port.fd.reset();
  const auto child = begin(kSplit, {"--inspect=127.0.0.1:" + port.number()});
  if (child->listeners() != 1) GTEST_SKIP() << "somebody else took the port meanwhile";
  const UniqueFd debugger(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(debugger.get(), reinterpret_cast<const sockaddr*>(&port.address), sizeof port.address), 0);
  // Node.js takes the connection from its queue when it gets to it.
  EXPECT_TRUE(wait_until(Deadline::in_ms(10'000), [&] {
    const auto attachment = attach(child->pid());
    return !attachment.ok() && attachment.error().message.find("a debugger is attached") != std::string::npos;
  }));
}

TEST_F(NodeRecorderTest, ends_when_the_process_does) {
  auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  child.reset();
  EXPECT_FALSE(attachment->recorder->take(false).ok());
  EXPECT_FALSE(attachment->recorder->take(true).ok());
}

// Node.js ends only when our session has ended.
TEST_F(NodeRecorderTest, lets_a_process_end_at_once_and_keeps_what_it_recorded) {
  for (const char* way : {kExits, kRunsOut, kThrows}) {
    const auto child = begin(std::string(way) + kSplit);
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    OwnRecording recording(child->pid(), std::move(attachment->recorder));
    ASSERT_TRUE(recording.is_settled(kLong));
    pause_ms(300);
    ::kill(child->pid(), SIGTERM);
    EXPECT_TRUE(wait_until(Deadline::in_ms(60'000), [&] { return child->has_ended(); })) << way << child->errors();
    EXPECT_EQ(child->exit_status(), way == kThrows ? 1 : 7) << way;
    const auto profile = recording.take(false, kLong);
    ASSERT_TRUE(profile.ok()) << way << ": " << profile.error().message;
    EXPECT_GT(leaves(*profile)["sixty"], 0) << way;
    EXPECT_EQ(recording.covered_threads(), std::vector<pid_t>{child->pid()});
    EXPECT_FALSE(recording.take(true, kLong).ok()) << "nothing is told twice";
  }
}

TEST_F(NodeRecorderTest, lets_a_process_with_workers_end) {
  const auto child = begin(std::string(kWorkers) + "if (isMainThread) " + kExits);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  OwnRecording recording(child->pid(), std::move(attachment->recorder));
  ASSERT_TRUE(recording.is_settled(kLong));
  pause_ms(300);
  ::kill(child->pid(), SIGTERM);
  EXPECT_TRUE(wait_until(Deadline::in_ms(60'000), [&] { return child->has_ended(); })) << child->errors();
  EXPECT_EQ(child->exit_status(), 7);
  const auto profile = recording.take(true, kLong);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(profile->samples.size(), 0u);
}

TEST_F(NodeRecorderTest, learns_of_the_end_when_it_is_asked_for_what_was_recorded) {
  const auto child = begin(std::string(kExits) + kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(attachment->recorder->start().ok());
  pause_ms(300);
  ::kill(child->pid(), SIGTERM);
  ASSERT_TRUE(wait_until(Deadline::in_ms(60'000),
                         [&] { return child->errors().find("Waiting for the debugger") != std::string::npos; }));
  const auto profile = attachment->recorder->take(false);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(leaves(*profile)["sixty"], 0);
  (void)attachment->recorder->take(false);  // where the news came after the first answer
  EXPECT_TRUE(wait_until(Deadline::in_ms(60'000), [&] { return child->has_ended(); })) << child->errors();
}

TEST_F(NodeRecorderTest, waits_for_a_process_that_has_just_begun) {
  const NodeChild child({"--inspect-port=0", "-e", "setInterval(() => {}, 10)"});
  // Until exec it is this test program still.
  wait_until(Deadline::in_ms(10'000), [&] { return attach(child.pid()).ok() || child.has_ended(); });
  auto attachment = attach(child.pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  const Result<> started = attachment->recorder->start();
  EXPECT_TRUE(started.ok()) << started.error().message;
}

// As it is between exec and its first look at signals: Node.js blocks SIGUSR1 itself then.
TEST_F(NodeRecorderTest, does_not_give_up_on_a_process_that_blocks_the_signal_while_it_begins) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const NodeChild child({"--inspect-port=0", "-e", "setInterval(() => {}, 10)"});
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  std::vector<Error> refusals;  // before exec there is no V8 in it
  std::optional<Attachment> first;
  wait_until(Deadline::in_ms(60'000), [&] {
    auto attachment = attach(child.pid());
    if (attachment.ok())
      first = attachment.take();
    else if (attachment.error().code == ErrorCode::Unsupported)
      refusals.push_back(attachment.error());
    return first || !refusals.empty() || child.has_ended();
  });
  ASSERT_TRUE(refusals.empty()) << refusals.front().message;
  ASSERT_TRUE(first.has_value()) << child.errors();
  OwnRecording recording(child.pid(), std::move(first->recorder));
  ASSERT_TRUE(recording.is_settled(kLong));
  const auto profile = recording.take(true, kLong);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
}

TEST_F(NodeRecorderTest, prefers_the_perf_map_that_a_process_writes) {
  const auto child = begin(kIdle, {"--inspect-port=0", "--perf-basic-prof"});
  const auto attachment = attach(child->pid());
  ::unlink(("/tmp/perf-" + std::to_string(child->pid()) + ".map").c_str());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  EXPECT_EQ(attachment->recorder, nullptr);
}

TEST_F(NodeRecorderTest, can_be_done_again_and_again) {
  const char* asked = std::getenv("ATYS_CYCLES");
  const size_t cycles = asked == nullptr ? 20 : std::strtoul(asked, nullptr, 10);
  const auto child = begin(kSplit);
  size_t files = 0;
  size_t threads = 0;
  size_t own_files = 0;
  for (size_t i = 0; i < cycles; ++i) {
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message << " in cycle " << i;
    const Result<> started = attachment->recorder->start();
    ASSERT_TRUE(started.ok()) << started.error().message << " in cycle " << i;
    const auto profile = attachment->recorder->take(true);
    ASSERT_TRUE(profile.ok()) << profile.error().message << " in cycle " << i;
    EXPECT_EQ(child->listeners(), 0u);
    attachment->recorder.reset();
    if (i > 2) continue;  // the first times may make pools that stay
    files = child->open_files();
    threads = child->threads();
    own_files = entries("/proc/self/fd");
  }
  // What Node.js closes it closes a little later.
  EXPECT_TRUE(wait_until(Deadline::in_ms(10'000), [&] { return child->open_files() <= files; }));
  EXPECT_TRUE(wait_until(Deadline::in_ms(10'000), [&] { return child->threads() <= threads; }));
  EXPECT_EQ(entries("/proc/self/fd"), own_files);
  EXPECT_EQ(child->output(), "begun\n");
}

}  // namespace
}  // namespace atys::capture::node
