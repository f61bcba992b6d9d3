// SPDX-License-Identifier: Apache-2.0
// The profiling kernels at work in one recording: looks at each process of the target once, and again where its runtime was
// not ready, and attaches what fits.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capture/accounts/thread_times.h"
#include "capture/native/reader_finder.h"
#include "capture/profiling_kernel.h"
#include "capture/self_recording/own_profiles.h"
#include "capture/self_recording/own_rate.h"
#include "capture/self_recording/own_recording.h"

namespace atys::capture {

class Attachments final : public native::ReaderFinder {
 public:
  explicit Attachments(const RecordingPlan& plan);

  // Whether the tier at hand sees the frames of interpreters; it is called that.
  void set_tier(std::string_view tier, bool can_walk) {
    tier_ = tier;
    can_walk_ = can_walk;
  }

  Found find_reader(pid_t pid) override;
  // A runtime of that process samples itself from now on. `notes` are told if it does.
  void begin_recording(pid_t pid, const std::string& name, std::unique_ptr<OwnRecorder> recorder,
                       std::vector<std::string> notes = {});
  bool may_bring_runtime(std::string_view path) const override;

  // Waits until the runtimes that sample themselves do so, but no longer than that.
  void settle(std::chrono::milliseconds patience);
  // Processes that sample themselves and all of whose stacks come from there, since the last call.
  std::vector<pid_t> take_covered();
  bool has_recordings() const { return !recordings_.empty(); }
  // The recording's rate, for those that sample themselves now or later: to be told again and again, see own_rate.h.
  void set_rate(double hz, uint64_t now_ns);
  // Sampling is over; frames are named next.
  void before_naming();
  // Readable when a runtime has begun to sample.
  int wakeup_fd() const { return begun_.get(); }
  // A window begins: what runtimes record from here on stands for their threads.
  void begin_window(uint64_t now_ns);
  // It ends, or it is looked at, here: the account of the threads is taken.
  void end_window(uint64_t now_ns);
  // A thread is over: its account can only be told.
  void note_end(const native::EndedThread& thread);
  // The next begins where that one ended.
  void begin_next_window(uint64_t at_ns);
  // Those that have begun to sample in the middle of the window, since the last call. What they record stands for their
  // threads from here on; what the native kernel has counted of them so far in the window is to be told with keep_before().
  std::vector<pid_t> take_begun(uint64_t now_ns);
  void keep_before(pid_t pid, std::map<size_t, native::SlotValue> before);
  // What those runtimes recorded since the last call; of one that did not hand it over, an empty profile. Nobody waits for
  // one that is not ready to sample yet, unless it is the last call.
  std::vector<OwnProfile> take_profiles(bool is_last);

  // What a person should know, since the last call.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  // By runtime: "Python 3.11.2" → how many processes.
  const std::map<std::string, int>& runtimes() const { return runtimes_; }

 private:
  // A runtime at work, and the account that what it says is measured by.
  struct Attached {
    std::unique_ptr<OwnRecording> recording;
    ThreadTimes account;
    std::vector<std::string> notes;                   // until it has started
    bool stands = false;                              // what it records stands for its threads
    ProcessTimes times = {};                          // when the window ended, or the process
    std::map<size_t, native::SlotValue> before = {};  // of this window, see keep_before()
    ProcessTimes times_before = {};
  };
  void note(std::string text);
  void tell_started(Attached& attached);
  void look_at(Attached& attached, uint64_t now_ns);
  OwnProfile answer_of(Attached& attached, std::chrono::milliseconds patience);
  // Takes what is left of processes that have ended, and makes room for others.
  void let_ended_go();

  RecordingPlan plan_;  // its rate is the one that runtimes are told now
  OwnRate rate_;
  std::string tier_;
  bool can_walk_ = true;
  std::vector<std::string> notes_;
  std::vector<std::string> told_;
  std::map<std::string, int> runtimes_;
  std::map<pid_t, Attached> recordings_;
  UniqueFd begun_;                    // an eventfd
  uint64_t window_ns_ = 0;            // when it began; 0: the first has not
  std::vector<OwnProfile> of_ended_;  // not handed over yet
  std::set<pid_t> covered_;
  std::map<pid_t, std::unique_ptr<Companion>> companions_;
};

}  // namespace atys::capture
