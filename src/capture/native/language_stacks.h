// SPDX-License-Identifier: Apache-2.0
// The interpreters of a recording: finds out which processes have one, tells the sampler how to walk its frames, and mixes
// them with the native ones.
#pragma once

#include <map>
#include <string>

#include "capture/native/mixed_stack.h"
#include "capture/native/process_table.h"
#include "capture/native/reader_finder.h"
#include "capture/native/sample_source.h"
#include "unwind/unwinder.h"

namespace atys::capture::native {

class LanguageStacks {
 public:
  LanguageStacks(SampleSource& source, CodeModules& modules) : source_(source), modules_(modules) {}
  void set_finder(ReaderFinder* finder) { finder_ = finder; }

  void on_process_record(const linux::PerfRecord& record, ProcessTable& processes);
  // Looks for an interpreter before the process is sampled.
  void look_at(Process& process, uint64_t now_ns);
  void refresh(Process& process, uint64_t now_ns);
  void learn(Process& process, CodeCopy& code) {
    if (process.language.reader != nullptr) process.language.reader->learn(code);
  }
  // With the interpreter's frames of a thread that waits. They are valid until the next one.
  RawSample walk_still(Process& process, const RawSample& sample);
  // The frames of a sample of that process, mixed; null: there is no interpreter in it, or it runs none of its code.
  const std::vector<MixedFrame>* mix(Process& process, const RawSample& sample, const unwind::Walk& walk);

  // Samples that lack something, by the reason.
  const std::map<std::string, uint64_t>& losses() const { return losses_; }
  void forget_losses() { losses_.clear(); }

 private:
  void find_reader(Process& process, uint64_t now_ns);
  void tell_thread_states(Process& process, uint64_t now_ns);
  static uint64_t state_of_still(Language& language, pid_t tid, uint64_t now_ns);

  SampleSource& source_;
  CodeModules& modules_;
  ReaderFinder* finder_ = nullptr;
  std::map<std::string, uint64_t> losses_;
  std::vector<LanguageFrame> language_;  // of the sample at hand
  std::vector<MixedFrame> mixed_;
  std::vector<atys_walked> still_;
  std::vector<uint8_t> is_start_code_;
};

}  // namespace atys::capture::native
