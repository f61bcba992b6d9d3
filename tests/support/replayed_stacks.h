// SPDX-License-Identifier: Apache-2.0
// What a collector makes of a recording that a test replays, as text: a line for each thread, stack and reason to wait, root
// first, with samples and weight; below, what was lost.
//
//   7/8 app: app.main;app.work;kernel.read {blocked} 3 3000
//   lost: stacks of an interpreter that made no sense 1
#pragma once

#include <set>
#include <sstream>
#include <string>

#include "capture/native/sample_source.h"
#include "capture/native/stack_collector.h"
#include "support/code_names.h"
#include "support/fake_proc.h"

namespace atys::test {

using namespace capture::native;

// Remembers what it was told.
class ToldSource final : public SampleSource {
 public:
  std::string_view tier() const override { return "replayed"; }
  Result<> start() override { return {}; }
  void stop() override {}
  Result<> set_period(uint64_t) override { return {}; }
  Result<> add_process(pid_t) override { return {}; }
  void set_stack_mode(pid_t pid, StackMode mode) override { modes[pid] = mode; }
  void set_stack_end(pid_t, uint64_t) override {}
  bool can_walk() const override { return true; }
  void collect(SampleSink&) override {}
  void collect_counts(SampleSink&) override {}
  void add_wakeups(std::vector<pollfd>&) const override {}
  SourceTotals totals() const override { return {}; }

  std::map<pid_t, StackMode> modes;
};

// An interpreter whose functions have letters for names. Its evaluator is the function app.eval; a walk with a `!` is torn.
class LetterReader final : public capture::StackReader {
 public:
  explicit LetterReader(CodeNames& names) {
    const uint64_t evaluator = names.address("app.eval");
    code_.evaluator = {{evaluator - 0x80, evaluator + 0x80}};
  }
  const atys_walker& walker() const override { return walker_; }
  std::vector<std::pair<pid_t, uint64_t>> thread_states() override { return states; }
  const capture::InterpreterCode& code() const override { return code_; }
  bool read(std::span<const atys_walked> walk, std::vector<capture::LanguageFrame>& frames) override {
    for (const atys_walked& walked : walk) {
      if (walked.code == '!') return false;
      frames.push_back({.id = static_cast<uint32_t>(walked.code)});
    }
    return true;
  }
  capture::LanguageName name(uint32_t id) const override {
    return {.function = std::string("script.") + static_cast<char>(id), .kind = "script"};
  }
  void learn(capture::CodeCopy& code) override {
    std::string text(16, '\0');
    text.resize(code.read(code.code(), std::as_writable_bytes(std::span(text))));
    learnt += text + "\n";
  }

  std::vector<std::pair<pid_t, uint64_t>> states;
  std::string learnt;

 private:
  // state ── innermost frame ── … ── 0; of each frame the next, the code, the position.
  atys_walker walker_{.identity = ATYS_NATIVE_THREAD,
                      .top = {.count = 1, .steps = {0}},
                      .window = 24,
                      .next = 0,
                      .code = 8,
                      .position = 16,
                      .position_bytes = 8};
  capture::InterpreterCode code_;
};

class InSomeProcesses final : public ReaderFinder {
 public:
  Found find_reader(pid_t pid) override { return {.reader = pids.contains(pid) ? reader : nullptr}; }
  bool may_bring_runtime(std::string_view) const override { return false; }

  std::set<pid_t> pids;
  std::shared_ptr<capture::StackReader> reader;
};

class ReplayedStacks {
 public:
  ReplayedStacks() { collector.set_reader_finder(&finder); }
  // What the collector learns is told to `other`.
  explicit ReplayedStacks(SampleSource& other) : collector(other, modules) { collector.set_reader_finder(&finder); }

  void has_interpreter(pid_t pid) {
    finder.reader = reader;
    finder.pids.insert(pid);
  }
  std::string text(const SourceTotals& totals = {}) {
    std::map<std::string, SlotValue> lines;
    for (size_t i = 1; i < collector.slots().size(); ++i) {
      const SlotValue& value = collector.value(i);
      if (value.samples + value.weight == 0) continue;
      SlotValue& sum = lines[line_of(collector.slots()[i])];
      sum = {sum.samples + value.samples, sum.weight + value.weight};
    }
    std::string text;
    for (const auto& [line, value] : lines)
      text += line + " " + std::to_string(value.samples) + " " + std::to_string(value.weight) + "\n";
    for (const auto& [reason, count] : collector.language_losses()) text += loss(reason, count);
    for (const auto& [reason, count] : totals.losses) text += loss(reason, count);
    return text + loss("records of what processes did", collector.lost_process_records());
  }

  FakeProc proc;
  CodeNames names;
  ToldSource source;
  InSomeProcesses finder;
  std::shared_ptr<LetterReader> reader = std::make_shared<LetterReader>(names);
  CodeModules modules{{}};
  StackCollector collector{source, modules};

 private:
  static std::string loss(const std::string& reason, uint64_t count) {
    return count == 0 ? std::string() : "lost: " + reason + " " + std::to_string(count) + "\n";
  }
  std::string line_of(const Slot& slot) const {
    const ThreadKey& thread = collector.thread(slot.thread);
    std::ostringstream line;
    line << thread.pid << "/" << thread.tid << " " << thread.comm.data() << ":";
    const auto stack = collector.stack(slot.stack);
    std::string frames;
    for (size_t i = stack.size(); i-- > 0;) frames += (frames.empty() ? "" : ";") + name_of(collector.place(stack[i]));
    line << " " << (frames.empty() ? "[no stack]" : frames);
    if (const std::string& note = collector.note(slot.note); !note.empty()) line << " {" << note << "}";
    return line.str();
  }
  std::string name_of(const CodePlace& place) const {
    if (place.module == kKernelModule) return names.kernel_name(place.address);
    if (place.module == kUnknownModule) return "?";
    if (const auto* found = modules.reader(place.module)) return found->name(static_cast<uint32_t>(place.address)).function;
    const symbolize::Module* file = modules.file(place.module);
    return file == nullptr ? "[jit]" : names.name(file->path().substr(1), place.address);
  }
};

}  // namespace atys::test
