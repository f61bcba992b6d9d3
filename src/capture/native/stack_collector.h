// SPDX-License-Identifier: Apache-2.0
// Turns raw samples into counted stacks of places in binaries. The hot path of user space: no names, no files beyond the
// first look at a binary, no memory beyond what is new.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <unordered_set>

#include "capture/native/language_stacks.h"
#include "capture/native/process_table.h"
#include "capture/native/sample_source.h"
#include "capture/native/thread_contexts.h"
#include "profile/list_table.h"
#include "profile/row_table.h"
#include "unwind/unwinder.h"

namespace atys::capture::native {

inline uint64_t hash(const CodePlace& place) {
  return profile::hash_mix(place.address ^ profile::hash_seed(), place.module);
}

// Whom a sample is of; empty: somebody who is not of the target.
struct ThreadKey {
  pid_t pid = 0;
  pid_t tid = 0;
  std::array<char, 16> comm{};

  bool operator==(const ThreadKey&) const = default;
};
uint64_t hash(const ThreadKey& thread);

// The note of a slot that holds wakers.
constexpr std::string_view kWakerNote = "waker";

enum class ThreadNumber : uint32_t {};
enum class PlaceNumber : uint32_t {};
enum class StackNumber : uint32_t {};

// One counted thing: a stack of a thread, and for waits why it waited.
struct Slot {
  ThreadNumber thread{};
  StackNumber stack{};
  uint32_t note = 0;          // position in notes(); 0: none
  uint32_t context = 0;       // what the thread worked on; 0: it did not say
  bool reaches_root = false;  // part of the stack, here because stacks have no room for it
  bool holds_lock = false;    // the interpreter's

  bool operator==(const Slot&) const = default;
};
uint64_t hash(const Slot& slot);

struct SlotValue {
  uint64_t samples = 0;
  uint64_t weight = 0;
};

class StackCollector final : public SampleSink {
 public:
  // `source` is told how to take stacks; `modules` is shared with whoever gives the places names.
  StackCollector(SampleSource& source, CodeModules& modules);

  void on_process_record(const linux::PerfRecord& record) override;
  void on_code(pid_t pid, CodeCopy& code) override { languages_.learn(processes_.process(pid), code); }
  SampleSlot on_stack(const RawSample& sample) override;
  SampleSlot on_lost_stack(pid_t pid, pid_t tid) override;
  void add(SampleSlot slot, uint64_t samples, uint64_t weight) override;
  void on_thread_end(const EndedThread& thread) override { ended_threads_.push_back(thread); }
  void on_waited(pid_t pid, pid_t tid, uint64_t ns) override { waited_[{pid, tid}] += ns; }
  void refresh_threads(pid_t pid, uint64_t now_ns) override { languages_.refresh(processes_.process(pid), now_ns); }

  // Who knows languages; without one there are native frames only.
  void set_reader_finder(ReaderFinder* finder) { languages_.set_finder(finder); }
  // Who knows where threads say what they work on; without one they have no labels.
  void set_context_finder(ContextFinder* finder);
  // Looks for interpreters in a process that runs already, so that its first sample has their frames.
  void look_at(pid_t pid, uint64_t now_ns);

  // What was collected. Stacks are leaf first.
  std::span<const Slot> slots() const { return slots_.rows(); }
  const SlotValue& value(size_t slot) const { return values_[slot]; }
  // Of the slots of a process that have any.
  std::map<size_t, SlotValue> values_of(pid_t pid) const;
  const ThreadKey& thread(ThreadNumber number) const { return threads_[number]; }
  // What the language that it runs calls it; empty: nothing.
  std::string name_in_language(ThreadNumber number) const;
  std::span<const PlaceNumber> stack(StackNumber number) const { return stacks_[number]; }
  const CodePlace& place(PlaceNumber number) const { return places_[number]; }
  size_t places() const { return places_.size(); }
  const std::string& note(uint32_t number) const { return notes_[number]; }
  const ThreadContexts::Labels& context_labels(uint32_t number) const { return contexts_.labels(number); }

  uint64_t samples() const { return samples_; }
  // How long each thread waited in this window, as counted; empty: nobody counts.
  const std::map<std::pair<pid_t, pid_t>, uint64_t>& waited() const { return waited_; }
  uint64_t lost_process_records() const { return lost_process_records_; }
  // Processes that appeared since the last call.
  std::vector<pid_t> take_new_pids() { return std::exchange(new_pids_, {}); }
  // Threads that are over, since the last call.
  std::vector<EndedThread> take_ended_threads() { return std::exchange(ended_threads_, {}); }
  // Why the stack of a slot that does not reach the root ended.
  std::string why_cut(size_t slot) const;
  const std::map<std::string, uint64_t>& language_losses() const { return languages_.losses(); }
  const std::map<std::string, uint64_t>& context_losses() const { return contexts_.losses(); }

  void forget_values();  // begins a new window; what is known of code and threads stays

  // A sample that did not wait in a counter of the kernel.
  struct Timed {
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC
    SampleSlot slot = 0;
    SlotValue value;
  };
  void keep_times() { keeps_times_ = true; }
  // Those of the window, if they are kept; empty where there are very many.
  const std::vector<Timed>& timed() const { return timed_; }

  // A part of the window. They are for telling its phases: few, equally long, and none where there are very many stacks.
  struct Part {
    int64_t from_ns = 0;            // Unix time
    std::vector<SlotValue> before;  // by slot: the values when it began
  };
  // What is added from now on is of a new part. True: two parts were made one wherever two were, for there are many; the
  // next should be twice as long.
  bool begin_part(int64_t unix_ns);
  const std::vector<Part>& parts() const { return parts_; }

 private:
  class Surroundings;
  // The part of a thread's stack that is deeper than what is copied, as it was read the last time.
  struct DeepStack {
    uint64_t start = 0;
    std::vector<std::byte> bytes;
  };
  struct NamedBy {
    StackReader* reader = nullptr;  // lives as long as `modules_`
    bool is_named = false;
  };
  DeepStack& deep_stack(pid_t tid);
  SampleSlot on_outsider(const RawSample& sample);
  void note_process(pid_t pid);
  Process& known_process(pid_t pid);
  void unwind(Process& process, const RawSample& sample);
  void append_walk(Process& process);
  void keep_up_with_code(Process& process, const RawSample& sample);
  bool knows_more_code(Process& process, uint64_t now_ns);
  void append_kernel(std::span<const uint64_t> frames);
  bool append_copied(Process& process, const RawSample& sample);
  bool append_chain(Process& process, const RawSample& sample);
  bool append_language(Process& process, const RawSample& sample);
  void append_place(Process& process, uint64_t address, bool is_exact);
  bool is_root(Process& process, uint64_t address);
  std::optional<linux::MappedRange> code_of_go(Process& process);
  void choose_mode(Process& process, const RawSample& sample);
  void learn_stack_end(Process& process, const RawSample& sample);
  void learn_name(ThreadNumber number, StackReader& reader);
  void keep_time(SampleSlot slot, SlotValue value);
  SampleSlot slot_of(const Slot& slot);
  uint32_t note_number(const SampleNote& note);

  SampleSource& source_;
  CodeModules& modules_;
  ProcessTable processes_;
  LanguageStacks languages_;
  ThreadContexts contexts_;
  unwind::Unwinder unwinder_;
  unwind::Walk walk_;
  std::vector<PlaceNumber> frames_;  // of the stack at hand
  std::unordered_set<pid_t> pids_;
  std::vector<pid_t> new_pids_;
  std::vector<EndedThread> ended_threads_;
  std::map<std::pair<pid_t, pid_t>, uint64_t> waited_;  // by process and thread
  std::unordered_set<pid_t> threads_with_known_stack_;
  std::unordered_map<pid_t, DeepStack> deep_stacks_;

  profile::RowTable<CodePlace, PlaceNumber> places_;
  profile::ListTable<PlaceNumber, StackNumber> stacks_;
  profile::RowTable<ThreadKey, ThreadNumber> threads_;
  std::vector<NamedBy> named_by_;  // by thread
  profile::RowTable<Slot, profile::StackId> slots_;
  std::vector<SlotValue> values_;  // parallel to slots_
  std::vector<Part> parts_;        // in order of time
  std::vector<Timed> timed_;
  bool keeps_times_ = false;
  bool are_many_ = false;     // too many to keep their times
  SampleSlot last_slot_ = 0;  // whose stack was just handed over, and when it was taken
  uint64_t last_time_ns_ = 0;
  std::vector<uint8_t> slot_ends_;  // parallel: how its walk ended
  std::vector<std::string> notes_{""};
  uint64_t samples_ = 0;
  uint64_t lost_process_records_ = 0;
  uint8_t end_ = 0;  // of the walk at hand
  uint32_t short_copies_ = 0;
};

}  // namespace atys::capture::native
