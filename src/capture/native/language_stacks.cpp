// SPDX-License-Identifier: Apache-2.0
#include "capture/native/language_stacks.h"

#include <algorithm>

#include "capture/walking/walk_remote.h"

namespace atys::capture::native {

namespace {

constexpr uint64_t kFirstPauseNs = 5'000'000;
constexpr uint32_t kMostLooks = 12;  // the last after 20 seconds
constexpr size_t kStartFrames = 6;   // programs and threads begin with no more
constexpr uint64_t kThreadsIntervalNs = 20'000'000;

}  // namespace

// A library with an interpreter may come long after the program began.
void LanguageStacks::on_process_record(const linux::PerfRecord& record, ProcessTable& processes) {
  const auto* map = std::get_if<linux::MapRecord>(&record.body);
  if (map == nullptr || finder_ == nullptr || map->pid <= 0 || !map->range.is_executable) return;
  if (!finder_->may_bring_runtime(map->range.path)) return;
  Process* process = processes.find(map->pid);
  if (process == nullptr || !process->is_of_target || process->language.reader != nullptr) return;
  process->language.look_at_ns = record.time_ns;
  process->language.looks = 0;
}

void LanguageStacks::look_at(Process& process, uint64_t now_ns) {
  process.is_of_target = true;
  if (finder_ == nullptr || process.language.reader != nullptr || now_ns < process.language.look_at_ns) return;
  find_reader(process, now_ns);
}

void LanguageStacks::refresh(Process& process, uint64_t now_ns) {
  if (process.language.reader == nullptr)
    look_at(process, now_ns);
  else
    tell_thread_states(process, now_ns);
}

void LanguageStacks::find_reader(Process& process, uint64_t now_ns) {
  const CpuMeter::Use use(modules_.first_looks());
  Language& language = process.language;
  ReaderFinder::Found found = finder_->find_reader(process.pid);
  language.look_at_ns = found.ask_again && language.looks < kMostLooks ? now_ns + (kFirstPauseNs << language.looks) : kNever;
  ++language.looks;
  if (found.reader == nullptr) return;
  language.reader = std::move(found.reader);
  language.module = modules_.number_of_reader(language.reader);
  source_.set_walker(process.pid, &language.reader->walker());
  tell_thread_states(process, now_ns);
}

void LanguageStacks::tell_thread_states(Process& process, uint64_t now_ns) {
  process.language.threads_known_at_ns = now_ns;
  for (const auto& [tid, state] : process.language.reader->thread_states()) source_.set_thread_state(tid, state);
}

// A list of all threads for each of them would be many.
uint64_t LanguageStacks::state_of_still(Language& language, pid_t tid, uint64_t now_ns) {
  const bool is_known = language.still_states_at_ns != 0 && now_ns >= language.still_states_at_ns;
  if (!is_known || now_ns - language.still_states_at_ns >= kThreadsIntervalNs) {
    language.still_states = language.reader->thread_states();
    language.still_states_at_ns = now_ns;
  }
  const auto state = std::ranges::find(language.still_states, tid, &std::pair<pid_t, uint64_t>::first);
  return state == language.still_states.end() ? 0 : state->second;
}

RawSample LanguageStacks::walk_still(Process& process, const RawSample& sample) {
  RawSample walked = sample;
  walked.stands_still = false;
  StackReader* reader = process.language.reader.get();
  if (reader == nullptr) return walked;
  const uint64_t state = state_of_still(process.language, sample.tid, sample.time_ns);
  if (state == 0) return walked;
  linux::ProcessMemory memory(process.pid);
  const RemoteWalk outcome = walk_remote(memory, reader->walker(), state, still_);
  walked.walked = still_;
  walked.walk_flags = static_cast<uint16_t>(ATYS_WALKED | (outcome == RemoteWalk::Cut ? ATYS_WALK_CUT : 0));
  return walked;
}

const std::vector<MixedFrame>* LanguageStacks::mix(Process& process, const RawSample& sample, const unwind::Walk& walk) {
  Language& language = process.language;
  if (language.reader == nullptr) return nullptr;
  if ((sample.walk_flags & ATYS_UNKNOWN_STATE) != 0 && sample.time_ns > language.threads_known_at_ns + kThreadsIntervalNs)
    tell_thread_states(process, sample.time_ns);
  if (sample.walked.empty()) return nullptr;
  language_.clear();
  mixed_.clear();
  if (!language.reader->read(sample.walked, language_)) {
    ++losses_["stacks of an interpreter that made no sense"];
    return nullptr;
  }
  for (const atys_lasting& code : language.reader->take_lasting()) source_.set_lasting_code(process.pid, code);
  if (language_.empty()) return nullptr;
  if ((sample.walk_flags & ATYS_WALK_CUT) != 0) ++losses_["stacks of an interpreter cut: too deep, or not in memory"];
  if (walk.addresses.empty()) {
    for (const LanguageFrame& frame : language_) mixed_.push_back({true, frame.id});
    return &mixed_;
  }
  is_start_code_.assign(walk.addresses.size(), 0);
  const size_t frames = walk.addresses.size();
  for (size_t i = frames - std::min(frames, kStartFrames); i < frames; ++i)
    is_start_code_[i] = process.space.is_libc(walk.addresses[i] - 1) ? 1 : 0;
  const NativeStack native{walk.addresses, walk.end == unwind::End::Root, is_start_code_};
  if (mix_stacks(native, language.reader->code(), language_, mixed_) == Mix::Approximate)
    ++losses_["stacks of an interpreter not aligned with the native ones"];
  return &mixed_;
}

}  // namespace atys::capture::native
