// SPDX-License-Identifier: Apache-2.0
#include "capture/python/python_reader.h"

#include <algorithm>

#include "base/clock.h"
#include "linux/namespaces.h"

namespace atys::capture::python {

namespace {

constexpr uint64_t kLookAtAllNs = 100'000'000;
constexpr uint8_t kNoOwnFrame = 3;  // owner of a frame that only marks a call from native code, and of any above it

uint8_t marker_of(const atys_walked& walked) { return static_cast<uint8_t>(walked.code >> 48); }

}  // namespace

PythonReader::PythonReader(pid_t pid, std::unique_ptr<linux::MemoryReader> memory, Interpreter interpreter)
    : pid_(pid),
      memory_(std::move(memory)),
      interpreter_(std::move(interpreter)),
      walker_(interpreter_.walker()),
      codes_(*memory_, interpreter_.layout, walker_.cookie, interpreter_.code_type),
      thread_names_(*memory_, interpreter_) {
  gone_ = codes_.named("[code that was gone]");
  code_.evaluator = interpreter_.evaluator;
  code_.own = interpreter_.own;
  for (const auto& [range, name] : interpreter_.landmarks) code_.landmarks.push_back({range, codes_.named(name)});
  if (interpreter_.layout.native_thread_id == 0) learn_identity();
}

void PythonReader::learn_identity() {
  std::vector<pid_t> tids;
  if (const auto threads = linux::read_thread_ids(pid_); threads.ok())
    for (const linux::ThreadIds& thread : *threads) tids.push_back(thread.inside);
  const auto offset = find_tid_offset(*memory_, list_python_threads(*memory_, interpreter_), tids);
  walker_.identity_path = {1, {interpreter_.layout.thread_id}};
  walker_.identity_at = offset.value_or(0);
  if (!offset) walker_.identity = ATYS_MAIN_THREAD;
}

// Those that run Python and whose numbers are known.
std::vector<NumberedThread> PythonReader::list_threads() {
  std::vector<NumberedThread> listed;
  const auto threads = linux::read_thread_ids(pid_);
  if (!threads.ok() || walker_.identity != ATYS_NATIVE_THREAD) return listed;
  for (const PythonThread& thread : list_python_threads(*memory_, interpreter_)) {
    uint64_t inside = thread.native_id;
    if (inside == 0) inside = memory_->value_at<uint32_t>(thread.pthread + walker_.identity_at).value_or(0);
    const auto known = std::ranges::find(*threads, static_cast<pid_t>(inside), &linux::ThreadIds::inside);
    if (known != threads->end()) listed.push_back({known->outside, thread});
  }
  return listed;
}

std::vector<std::pair<pid_t, uint64_t>> PythonReader::thread_states() {
  std::vector<std::pair<pid_t, uint64_t>> states;
  for (const auto& [tid, thread] : list_threads()) states.emplace_back(tid, thread.state);
  return states;
}

std::string PythonReader::thread_name(pid_t tid) {
  return thread_names_.name_of(tid, clock_ns(CLOCK_MONOTONIC_COARSE), [this] { return list_threads(); });
}

// Of all that an interpreter waits for, only its lock is a condition with a time limit.
std::string_view PythonReader::wait_reason(std::span<const std::string_view> functions) const {
  const bool is_for_lock = std::ranges::any_of(functions, [](std::string_view function) {
    return function.find("pthread_cond_timedwait") != function.npos ||
           function.find("pthread_cond_clockwait") != function.npos || function == kWaitingForLock;
  });
  return is_for_lock ? "gil" : "";
}

size_t PythonReader::count_known(std::span<const atys_walked> walk) const {
  const auto is_same = [](const atys_walked& a, const atys_walked& b) {
    return a.code == b.code && a.position == b.position && a.cookie == b.cookie;
  };
  const auto [end, last_end] = std::mismatch(walk.rbegin(), walk.rend(), last_walk_.rbegin(), last_walk_.rend(), is_same);
  return static_cast<size_t>(end - walk.rbegin());
}

// Those that are new in a walk, and all of them now and then.
void PythonReader::see_lasting(std::span<const atys_walked> walk, size_t new_frames) {
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
  if (now_ns >= look_at_all_ns_) {
    look_at_all_ns_ = now_ns + kLookAtAllNs;
    new_frames = walk.size();
  }
  for (size_t i = 0; i < new_frames; ++i)
    lasting_.see(*memory_, walker_.cookie, walk[i], ids_[i] != 0 && codes_.is_function(ids_[i]), now_ns);
}

// Memory in which nothing is a function is no stack.
bool PythonReader::read(std::span<const atys_walked> walk, std::vector<LanguageFrame>& frames) {
  const EntryMark mark = interpreter_.layout.entry_mark;
  const size_t before = frames.size();
  const size_t known = count_known(walk);
  ids_.assign(walk.size() - known, 0);
  ids_.insert(ids_.end(), last_ids_.end() - static_cast<std::ptrdiff_t>(known), last_ids_.end());
  bool is_any_known = false;
  for (size_t i = 0; i < walk.size(); ++i) {
    if (mark == EntryMark::Shim && marker_of(walk[i]) >= kNoOwnFrame) {
      if (frames.size() > before) frames.back().is_entry = true;
      continue;
    }
    if (ids_[i] == 0) ids_[i] = codes_.frame(walk[i]);
    is_any_known |= ids_[i] != 0;
    frames.push_back({.id = ids_[i] == 0 ? gone_ : ids_[i],
                      .is_entry = mark == EntryMark::EveryFrame || (mark == EntryMark::Flag && marker_of(walk[i]) != 0)});
  }
  see_lasting(walk, walk.size() - known);
  last_walk_.assign(walk.begin(), walk.end());
  last_ids_.swap(ids_);
  if (is_any_known || frames.size() == before) return true;
  frames.resize(before);
  return false;
}

}  // namespace atys::capture::python
