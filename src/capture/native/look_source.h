// SPDX-License-Identifier: Apache-2.0
// Samples where neither eBPF nor perf events are permitted: at slightly varied times each thread of the target is looked at
// in /proc, and of those that run a stack is had in the best way that there is for their process:
//   signal  the thread copies it itself, by our library in the program (signal_way.h)
//   stop    the thread is stopped for some 50 µs and its registers and stack are read: our own children, or with permission
//   memory  the frames of an interpreter are read from outside while it runs on: no native frames
// A thread's CPU time is the Linux kernel's own figure: what it ran since its last sample is what the next one stands for,
// so sums are true whatever the rate.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "capture/native/look_clock.h"
#include "capture/native/looked_at.h"
#include "capture/native/sample_source.h"
#include "capture/native/signal_way.h"
#include "capture/native/stop_way.h"
#include "linux/memory_reader.h"

namespace atys::capture::native {

inline std::unique_ptr<linux::MemoryReader> open_process_memory(pid_t pid) {
  return std::make_unique<linux::ProcessMemory>(pid);
}

struct LookPlan {
  std::string_view tier;  // what it is called
  uint64_t period_ns = 0;
  uint64_t max_samples = 0;  // 0: no limit
  bool with_children = false;
  bool may_stop = false;
  bool with_cpu = true;                         // where threads run
  bool with_waits = false;                      // where they do not
  std::unique_ptr<preload::SharedSpace> space;  // null: no program has our library in it
  // For frames of an interpreter.
  std::function<std::unique_ptr<linux::MemoryReader>(pid_t)> open_memory = open_process_memory;
};

class LookSource final : public SampleSource {
 public:
  static Result<std::unique_ptr<SampleSource>> open(LookPlan plan);

  std::string_view tier() const override { return plan_.tier; }
  Result<> start() override;
  void stop() override;
  Result<> set_period(uint64_t period) override;
  Result<> add_process(pid_t pid) override;
  void set_stack_mode(pid_t pid, StackMode mode) override;
  void set_stack_end(pid_t, uint64_t) override {}
  void want_deeper_stacks() override { stack_bytes_ = preload::kStackBytes; }
  bool tells_mappings() const override { return false; }
  bool can_walk() const override { return true; }
  void set_walker(pid_t pid, const atys_walker* walker) override;
  void set_thread_state(pid_t tid, uint64_t address) override;
  void collect(SampleSink& sink) override;
  void collect_counts(SampleSink& sink) override;
  void add_wakeups(std::vector<pollfd>& fds) const override { clock_.add_wakeups(fds); }
  SourceTotals totals() const override;

 private:
  using Thread = LookedThread;
  using Process = LookedProcess;

  explicit LookSource(LookPlan plan);
  bool is_answer_due() const;
  void repeat_if_nobody_counted();
  void look_at_all(uint64_t now, SampleSink& sink);
  void find_children(uint64_t now);
  void find_listeners(SampleSink& sink);
  void choose_way(pid_t pid, Process& process, uint64_t now);
  void list_threads(pid_t pid, Process& process, uint64_t now);
  Thread& add_thread(pid_t pid, Process& process, pid_t tid);
  // A thread that is ready to run, and perhaps runs.
  struct Runnable {
    pid_t pid = 0;
    pid_t tid = 0;
    Process* process = nullptr;
    Thread* thread = nullptr;
    bool had_cpu = false;  // may still have one
  };
  bool look_at(pid_t pid, Process& process, uint64_t now);  // false: it has ended
  bool look_at(pid_t pid, Process& process, pid_t tid, Thread& thread, uint64_t now);
  void sample_runnable(SampleSink& sink);
  void ask(const Runnable& one, SampleSink& sink);
  void look_at_waits(pid_t pid, Process& process, SampleSink& sink);
  void tell_waits(pid_t pid, Process& process, SampleSink& sink);
  void tell_ready(Thread& thread, RawSample raw, SampleSink& sink);
  void sample(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  void sample_by_signal(pid_t pid, Process& process, pid_t tid, Thread& thread);
  void sample_by_stop(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  void add_stopped(Process& process, Thread& thread, RawSample& raw, SampleSink& sink);
  void sample_by_memory(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  void take_answers(SampleSink& sink);
  void take_late_stops(SampleSink& sink);
  void on_start(pid_t pid, const preload::Request& start, SampleSink& sink);
  void on_answer(pid_t pid, pid_t tid, const preload::Request& answer, SampleSink& sink);
  void add_sample(Process& process, Thread& thread, const RawSample& raw, uint64_t ran_ns, SampleSink& sink);
  void see_name(const Process& process, pid_t tid, Thread& thread);
  void tell(Process& process, uint64_t ns);
  void forget(pid_t pid, Process& process);
  bool is_full();

  LookPlan plan_;
  size_t cpus_;
  std::optional<SignalWay> signals_;
  StopWay stops_;
  LookClock clock_;
  bool may_repeat_ = false;       // the last look
  bool has_counted_ = false;      // somebody, since then
  uint32_t stack_bytes_ = 16384;  // to copy, at most
  std::map<pid_t, Process> processes_;
  std::map<pid_t, pid_t> process_of_;  // by thread
  pid_t newest_ = 0;                   // number that was given out when we looked for children
  pid_t asked_for_ = 0;                // the process whose threads are being told
  uint64_t next_listing_ns_ = 0;       // of new numbers
  uint64_t next_refresh_ns_ = 0;
  SourceTotals totals_;
  std::vector<Runnable> runnable_;
  std::vector<atys_walked> frames_;
  std::vector<uint64_t> chain_;
  std::vector<std::byte> stack_;
};

}  // namespace atys::capture::native
