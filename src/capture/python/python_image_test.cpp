// SPDX-License-Identifier: Apache-2.0
// Real interpreters, waiting where their stacks are known: the one that is installed, and those whose memory was recorded
// while they ran the same script (tests/corpus/python_image_fuzzer). Every offset that we use has to be right for that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "capture/profiling_kernel.h"
#include "capture/python/python_reader.h"
#include "capture/python/thread_names.h"
#include "capture/target/detect.h"
#include "capture/walking/walk_remote.h"
#include "support/compiled_program.h"
#include "support/python_image.h"
#include "support/waiting_program.h"

namespace atys::capture::python {
namespace {

// All that waits is on one line, so that it does not matter how far it got.
constexpr const char* kScript = R"(import os, _thread
class App:
    def run(self, depth):
        if depth:
            return self.run(depth - 1)
        return sorted([1], key=lambda n: self.work(n))

    def work(self, n):
        for i in self.numbers():
            pass

    def numbers(self):
        x = 1

        yield self.größe()

    def größe(self):
        return ждать(
            self)

def ждать(app):
    return os.write(1, b'ready\n') and os.read(0, 1)

def background():
    started.release(), held.acquire()

started, held = _thread.allocate_lock(), _thread.allocate_lock()
started.acquire(), held.acquire()
_thread.start_new_thread(background, ())
started.acquire()
App().run(2)
)";

const std::vector<std::string> kStack = {
    "ждать:22",  "App.größe:18", "App.numbers:15", "App.work:9", "App.run.<locals>.<lambda>:6",
    "App.run:6", "App.run:5",    "App.run:5",      "<module>:31"};

// Before 3.11 functions do not know their qualified names.
std::vector<std::string> expected(uint32_t minor) {
  std::vector<std::string> stack = kStack;
  if (minor < 11)
    for (std::string& frame : stack) frame = frame.substr(frame.rfind('.') + 1);
  return stack;
}

struct Shown {
  std::vector<std::string> frames;  // "App.run:5"
  std::vector<bool> is_entry;
  std::string file;  // of the outermost
};

Shown show(linux::MemoryReader& memory, PythonReader& reader, uint64_t state) {
  std::vector<atys_walked> walk;
  EXPECT_EQ(walk_remote(memory, reader.walker(), state, walk), RemoteWalk::Whole);
  std::vector<LanguageFrame> frames;
  EXPECT_TRUE(reader.read(walk, frames));
  Shown shown;
  for (const LanguageFrame& frame : frames) {
    const LanguageName name = reader.name(frame.id);
    shown.frames.push_back(fmt::format("{}:{}", name.function, name.line));
    shown.is_entry.push_back(frame.is_entry);
    shown.file = name.file.substr(name.file.rfind('/') + 1);
  }
  return shown;
}

// Both threads of the script: what they run, who called whom, and that nothing else is found.
void expect_script(linux::MemoryReader& memory, PythonReader& reader, const Interpreter& interpreter) {
  const auto threads = list_python_threads(memory, interpreter);
  ASSERT_EQ(threads.size(), 2U);
  const Shown main = show(memory, reader, threads[1].state);  // the newest comes first
  EXPECT_EQ(main.frames, expected(interpreter.layout.minor));
  EXPECT_EQ(main.file, "script.py");
  ASSERT_EQ(main.is_entry.size(), kStack.size());
  EXPECT_TRUE(main.is_entry[4]) << "the lambda is called by sorted(), which is native";
  EXPECT_EQ(main.is_entry[6], interpreter.layout.minor < 11);
  EXPECT_TRUE(main.is_entry.back());
  const Shown background = show(memory, reader, threads[0].state);
  EXPECT_EQ(background.frames, std::vector<std::string>{"background:25"});
}

TEST(python_image, of_each_recorded_version_says_what_its_script_did) {
  size_t versions = 0;
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    std::ifstream file(fmt::format(ATYS_RECORDED_PYTHONS "/python_3.{}", minor), std::ios::binary);
    if (!file) continue;
    SCOPED_TRACE(fmt::format("Python 3.{}", minor));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    test::PythonImage image = test::read_python_image(text);
    ASSERT_EQ(image.minor, minor);
    const auto layout = find_layout(minor, image.memory, image.runtime);
    ASSERT_TRUE(layout.ok()) << layout.error().message;
    const Interpreter interpreter{.layout = *layout, .runtime = image.runtime, .code_type = image.code_type};
    PythonReader reader(-1, std::make_unique<test::BorrowedMemory>(image.memory), interpreter);
    expect_script(image.memory, reader, interpreter);
    ++versions;
  }
  EXPECT_GE(versions, 6U);
}

constexpr const char* kNamesScript = R"(import os, threading
class Own(threading.Thread):
    def __init__(self):
        super().__init__(name='größter-worker-of-them-all', daemon=True)
        self.more = 1
    def run(self):
        self.__dict__['even_more'] = 2
        wait()

def wait():
    threading.current_thread().started.set(), held.acquire()

held = threading.Lock()
held.acquire()
others = [threading.Thread(target=wait, name='worker-7', daemon=True), Own(), threading.Thread(target=wait, daemon=True)]
for other in others:
    other.started = threading.Event()
    other.start()
    other.started.wait()
others[2].name = '任务'
os.write(1, b'ready\n') and os.read(0, 1)
)";
const std::vector<std::string> kNames = {"MainThread", "größter-worker-of-them-all", "worker-7", "任务"};

std::vector<std::string> names_in(linux::MemoryReader& memory, const Interpreter& interpreter) {
  std::vector<NumberedThread> threads;
  for (const PythonThread& thread : list_python_threads(memory, interpreter))
    threads.push_back({static_cast<pid_t>(threads.size() + 1), thread});
  ThreadNames names(memory, interpreter);
  std::vector<std::string> found;
  for (const NumberedThread& thread : threads) found.push_back(names.name_of(thread.tid, 1, [&] { return threads; }));
  std::ranges::sort(found);
  return found;
}

TEST(python_image, of_each_recorded_version_has_the_names_of_its_threads) {
  size_t versions = 0;
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    std::ifstream file(fmt::format(ATYS_RECORDED_PYTHONS "/names_3.{}", minor), std::ios::binary);
    if (!file) continue;
    SCOPED_TRACE(fmt::format("Python 3.{}", minor));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    test::PythonImage image = test::read_python_image(text);
    const auto layout = find_layout(minor, image.memory, image.runtime);
    ASSERT_TRUE(layout.ok()) << layout.error().message;
    EXPECT_EQ(names_in(image.memory, {.layout = *layout, .runtime = image.runtime}), kNames);
    ++versions;
  }
  EXPECT_GE(versions, 6U);
}

class PythonLive : public testing::Test {
 protected:
  explicit PythonLive(const char* script = kScript) : script_(script) {}
  void SetUp() override {
    const char* given = std::getenv("ATYS_PYTHON");
    const std::string python = given != nullptr ? given : "python3";
    if (!folder_.run(python + " -V >/dev/null 2>&1")) GTEST_SKIP() << "python3 is not installed";
    program_ = std::make_unique<test::WaitingProgram>(std::vector<std::string>{python, folder_.write("script.py", script_)});
    ASSERT_EQ(program_->read_line(), "ready");
    auto detected = detect_runtimes(program_->pid());
    ASSERT_TRUE(detected.ok());
    const auto runtime = std::ranges::find(*detected, "python", &DetectedRuntime::kernel);
    ASSERT_NE(runtime, detected->end());
    runtime_ = *runtime;
  }

  const char* script_;
  test::BuildFolder folder_;
  std::unique_ptr<test::WaitingProgram> program_;
  DetectedRuntime runtime_;
};

class PythonNamesLive : public PythonLive {
 protected:
  PythonNamesLive() : PythonLive(kNamesScript) {}
};

// With ATYS_KEEP_NAMES=FILE what was read is kept.
TEST_F(PythonNamesLive, calls_its_threads_as_the_program_does) {
  linux::ProcessMemory memory(program_->pid());
  std::map<uint64_t, std::string> pieces;
  test::RecordingMemory recording(memory, pieces);
  const auto found = find_interpreter(program_->pid(), runtime_.path, runtime_.version, recording);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(names_in(recording, *found), kNames);
  if (const char* kept = std::getenv("ATYS_KEEP_NAMES"))
    std::ofstream(kept, std::ios::binary) << test::write_python_image(static_cast<uint8_t>(found->layout.minor),
                                                                      found->runtime, found->code_type, pieces);

  PythonReader reader(program_->pid(), std::make_unique<linux::ProcessMemory>(program_->pid()), *found);
  EXPECT_EQ(reader.thread_name(program_->pid()), "MainThread");
  const auto states = reader.thread_states();
  ASSERT_EQ(states.size(), kNames.size());
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& [tid, state] : states) all.push_back(reader.thread_name(tid));
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(names(), kNames);
  EXPECT_EQ(program_->finish(), 0);
  EXPECT_EQ(names(), kNames) << "also when it has ended";
}

// With ATYS_KEEP_IMAGE=FILE what was read is kept; with ATYS_PYTHON=FILE it is of that Python.
TEST_F(PythonLive, says_what_its_script_does_and_the_same_from_a_recorded_image) {
  linux::ProcessMemory memory(program_->pid());
  std::map<uint64_t, std::string> pieces;
  test::RecordingMemory recording(memory, pieces);
  const auto found = find_interpreter(program_->pid(), runtime_.path, runtime_.version, recording);
  ASSERT_TRUE(found.ok()) << found.error().message;
  PythonReader reader(program_->pid(), std::make_unique<test::RecordingMemory>(memory, pieces), *found);
  expect_script(recording, reader, *found);
  EXPECT_FALSE(found->evaluator.empty());

  const std::string text =
      test::write_python_image(static_cast<uint8_t>(found->layout.minor), found->runtime, found->code_type, pieces);
  test::PythonImage image = test::read_python_image(text);
  PythonReader replaying(-1, std::make_unique<test::BorrowedMemory>(image.memory), *found);
  expect_script(image.memory, replaying, *found);
  if (const char* kept = std::getenv("ATYS_KEEP_IMAGE")) std::ofstream(kept, std::ios::binary) << text;
}

TEST_F(PythonLive, tells_its_threads_apart) {
  linux::ProcessMemory memory(program_->pid());
  const RecordingPlan plan;
  auto attached = find_kernel("python")->attach({.pid = program_->pid(), .runtime = &runtime_, .plan = &plan});
  ASSERT_TRUE(attached.ok()) << attached.error().message;
  StackReader& reader = *attached->reader;
  EXPECT_EQ(reader.walker().identity, uint32_t{ATYS_NATIVE_THREAD});
  const auto states = reader.thread_states();
  ASSERT_EQ(states.size(), 2U);
  EXPECT_NE(states[0].first, states[1].first);
  EXPECT_NE(states[0].second, states[1].second);
  const auto main = std::ranges::find(states, program_->pid(), &std::pair<pid_t, uint64_t>::first);
  ASSERT_NE(main, states.end());
  std::vector<atys_walked> walk;
  EXPECT_EQ(walk_remote(memory, reader.walker(), main->second, walk), RemoteWalk::Whole);
  EXPECT_GE(walk.size(), kStack.size());
}

TEST_F(PythonLive, goes_on_as_if_nobody_had_looked) {
  linux::ProcessMemory memory(program_->pid());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(find_interpreter(program_->pid(), runtime_.path, runtime_.version, memory).ok());
  EXPECT_EQ(program_->finish(), 0);
}

}  // namespace
}  // namespace atys::capture::python
