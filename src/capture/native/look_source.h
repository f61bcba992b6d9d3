// SPDX-License-Identifier: Apache-2.0
// Samples where neither eBPF nor perf events are permitted: at slightly varied times each thread of the target is looked at
// in /proc, and of those that run a stack is had in the best way that there is for their process:
//   signal  the thread copies it itself, by our library in the program (signal_way.h)
//   stop    the thread is stopped for some 50 µs and its registers and stack are read: our own children, or with permission
//   memory  the frames of an interpreter are read from outside while it runs on: no native frames
// A thread's CPU time is the Linux kernel's own figure: what it ran since its last sample is what the next one stands for,
// so sums are true whatever the rate.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "capture/native/sample_source.h"
#include "capture/native/signal_way.h"
#include "capture/native/still_thread.h"
#include "capture/walk_remote.h"
#include "linux/thread_stopper.h"
#include "reduce/random.h"

namespace atys::capture::native {

struct LookPlan {
  std::string_view tier;  // what it is called
  uint64_t period_ns = 0;
  uint64_t max_samples = 0;  // 0: no limit
  bool with_children = false;
  bool may_stop = false;
  bool with_cpu = true;                         // where threads run
  bool with_waits = false;                      // where they do not
  std::unique_ptr<preload::SharedSpace> space;  // null: no program has our library in it
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
  void add_wakeups(std::vector<pollfd>& fds) const override;
  SourceTotals totals() const override;

 private:
  enum class Way { Unknown, Signal, Stop, Memory };
  // Of a thread; nanoseconds.
  struct Waits {
    std::optional<StillThread> still;
    uint64_t began_ns = 0;  // when we first saw it, and its figures then
    linux::ThreadFigures before;
    uint64_t told_ns = 0;          // of its waits
    uint64_t told_ready_ns = 0;    // of the time when it was ready but had no CPU
    std::optional<SampleSlot> at;  // where it waits
  };
  struct Thread {
    uint64_t state = 0;  // of the interpreter; 0: it runs none of its code, as far as we know
    std::optional<linux::ThreadFiles> files;
    uint64_t ran_ns = 0;    // when looked at the last time
    uint64_t delay_ns = 0;  // for which it was ready but had no CPU, at that time
    uint64_t arrivals = 0;  // on a CPU
    uint64_t seen_arrivals = 0;
    uint64_t turn_on_cpu = 0;  // it was on a CPU when we last looked, having come to one so often
    uint64_t asked_ns = 0;     // when that was: when we had been woken; 0: does not count
    uint64_t told_ns = 0;      // of what it ran: before us, and in samples since
    uint64_t next_look_ns = 0;
    uint32_t idle_looks = 0;    // in a row
    bool is_deaf = false;       // does not answer signals: it blocks them, or handles them itself
    uint64_t asked_ran_ns = 0;  // what it had run when it was asked
    std::string comm;
    RemoteWalker walker;
    Waits waits;
  };
  struct Process {
    Way way = Way::Unknown;
    StackMode mode = StackMode::ByCopy;
    bool may_stop = true;  // nobody has refused it
    uint64_t program = 0;  // that was looked at for it: the number of its file
    uint32_t life = 0;
    uint64_t start_ticks = 0;  // 0: not asked yet
    bool has_walker = false;
    atys_walker walker{};
    uint32_t walker_number = preload::kWalkers;  // in the memory that is shared
    uint64_t began_ns = 0;                       // when it was first seen, CLOCK_MONOTONIC
    uint64_t ran_at_ns = 0;                      // when it was last seen to have
    uint64_t ran_ns = 0;                         // all of its threads, when looked at the last time
    uint64_t told_ns = 0;                        // of that, in samples
    bool has_run = true;                         // since its waits were looked at
    uint64_t next_listing_ns = 0;                // 0: its threads have never been listed
    pid_t newest_listed = 0;                     // number that had been given out then
    std::map<pid_t, Thread> threads;
  };

  explicit LookSource(LookPlan plan);
  void plan_next_look();
  Result<> set_timer(uint64_t at_ns);
  bool is_answer_due() const;
  void see_lateness();
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
  void look_at_waits(Process& process, SampleSink& sink);
  void tell_wait(pid_t pid, pid_t tid, Thread& thread, SampleSink& sink);
  void tell_ready(Thread& thread, const RawSample& raw, SampleSink& sink);
  void sample(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  void sample_by_signal(pid_t pid, Process& process, pid_t tid, Thread& thread);
  void sample_by_stop(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  bool may_be_stopped(pid_t pid, Process& process);
  bool read_stopped(const linux::StoppedThread& stopped, Process& process, Thread& thread, RawSample& raw);
  void sample_by_memory(pid_t pid, Process& process, pid_t tid, Thread& thread, SampleSink& sink);
  void take_answers(SampleSink& sink);
  void on_start(pid_t pid, const preload::Request& start, SampleSink& sink);
  void on_answer(pid_t pid, pid_t tid, const preload::Request& answer, SampleSink& sink);
  void add_sample(Process& process, Thread& thread, const RawSample& raw, uint64_t ran_ns, SampleSink& sink);
  void see_name(const Process& process, pid_t tid, Thread& thread);
  void tell(Process& process, uint64_t ns);
  void forget(pid_t pid, Process& process);
  bool is_full();
  bool is_overdue(const Thread& thread) const;
  bool was_on_cpu(Thread& thread, uint64_t switches, uint64_t taken_ns);

  LookPlan plan_;
  size_t cpus_;
  std::optional<SignalWay> signals_;
  std::optional<linux::ThreadStopper> stopper_;  // made by the thread that collects
  uint64_t stopped_ns_ = 0;                      // of threads of the target, as far as it was for us
  uint32_t stack_bytes_ = 16384;                 // to copy, at most
  UniqueFd timer_;
  uint64_t next_ns_ = 0;                         // look, CLOCK_MONOTONIC
  uint64_t woken_ns_ = 0;                        // for the last one
  bool is_late_ = false;                         // somebody else had our CPU when it was time
  std::optional<linux::ThreadFiles> own_files_;  // of the thread that collects
  uint64_t own_ready_ns_ = 0;
  uint64_t soonest_ns_ = 1'000'000;  // that we waited for a CPU, lately
  reduce::Random random_;
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
