// SPDX-License-Identifier: Apache-2.0
// Finds, walks and names the frames of all threads, and the threads, in any memory, as recorded from real interpreters and
// then bent: it ends, with bounded reads, and says no more than was walked.
#include <cstdlib>

#include "capture/python/python_reader.h"
#include "capture/python/thread_names.h"
#include "capture/walking/walk_remote.h"
#include "support/python_image.h"

namespace {

using namespace atys;
using namespace atys::capture;

constexpr size_t kThreads = 4;
constexpr size_t kReadsOfThreads = 100'000;
constexpr size_t kReadsPerFrame = 32 + 1024;  // a name, a file, a table, its cookie, and the copies of its bytecode
constexpr size_t kReadsToWalkOne = 12;        // frame and cookie, each twice, at most

void check(bool holds) {
  if (!holds) std::abort();
}

void read_twice(python::PythonReader& reader, test::FakeMemory& memory, const std::vector<atys_walked>& walk) {
  for (int again = 0; again < 2; ++again) {
    memory.reads = 0;
    std::vector<LanguageFrame> frames;
    const bool is_whole = reader.read(walk, frames);
    check(frames.size() <= walk.size() && (is_whole || frames.empty()));
    check(memory.reads <= kReadsPerFrame * (walk.size() + 1));
    for (const LanguageFrame& frame : frames) {
      const LanguageName name = reader.name(frame.id);
      check(name.kind == "cpython" && name.line >= 0 && name.line <= INT32_MAX && name.start_line >= 0);
    }
  }
}

void read_names(test::FakeMemory& memory, const python::Interpreter& interpreter,
                const std::vector<python::PythonThread>& threads) {
  constexpr size_t kOfTheLast = 16;  // that began before all were spent
  std::vector<python::NumberedThread> numbered;
  for (const python::PythonThread& thread : threads) numbered.push_back({static_cast<pid_t>(numbered.size() + 1), thread});
  python::ThreadNames names(memory, interpreter);
  for (uint64_t second = 1; second < 3; ++second) {
    memory.reads = 0;
    (void)names.name_of(1, second * 1'000'000'000, [&] { return numbered; });
    check(memory.reads <= python::Dictionaries::kMostReads + kOfTheLast);
  }
  for (const python::NumberedThread& thread : numbered)
    check(names.name_of(thread.tid, 1, {}).size() <= python::ThreadNames::kLongestName);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  test::PythonImage image = test::read_python_image({reinterpret_cast<const char*>(data), size});
  const auto layout = python::find_layout(image.minor, image.memory, image.runtime);
  if (!layout.ok()) return 0;
  python::Interpreter interpreter{.layout = *layout, .runtime = image.runtime, .code_type = image.code_type};
  image.memory.reads = 0;
  const auto threads = python::list_python_threads(image.memory, interpreter);
  check(image.memory.reads <= kReadsOfThreads);
  (void)python::find_tid_offset(image.memory, threads, {1, 4242});
  read_names(image.memory, interpreter, threads);
  constexpr pid_t kNobody = -1;
  python::PythonReader reader(kNobody, std::make_unique<test::BorrowedMemory>(image.memory), interpreter);
  for (size_t i = 0; i < std::min(threads.size(), kThreads); ++i) {
    image.memory.reads = 0;
    std::vector<atys_walked> walk;
    walk_remote(image.memory, reader.walker(), threads[i].state, walk);
    check(walk.size() <= ATYS_MAX_WALKED);
    check(image.memory.reads <= kWalkAttempts * (kReadsToWalkOne * ATYS_MAX_WALKED + 16));
    read_twice(reader, image.memory, walk);
  }
  return 0;
}
