// SPDX-License-Identifier: Apache-2.0
// A profiling kernel: what turns a process of one language into stacks of that language. One folder each, one word in the
// list of CMakeLists.txt; everything about a language (how to recognise it, what it shows, what it cannot, its error texts)
// is said in its folder. Every process is sampled by the native kernel; the others add what they know in one of these ways:
//
//   StackReader   an interpreter's frames lie in its memory: the sampler copies them, the reader names them and puts them
//                 among the native frames of the same moment
//   OwnRecorder   the runtime can sample itself: it is told to, and what it hands back takes the place of the native
//                 samples of the same threads, with their weight
//   Companion     the runtime can only list its code: the native kernel names its frames with that
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/recording_plan.h"
#include "capture/self_recording/own_recorder.h"
#include "capture/target/runtime_signs.h"
#include "capture/traces.h"
#include "capture/walking/jit_name.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture {

struct DetectedRuntime;

struct AttachRequest {
  pid_t pid = 0;
  const DetectedRuntime* runtime = nullptr;
  const RecordingPlan* plan = nullptr;
};

// What helps the native kernel to name frames of a process: a list that its runtime writes when it is asked to.
class Companion {
 public:
  virtual ~Companion() = default;  // what it made in the process or on its disk is gone with it
  // Called when sampling is over and the process may still run, before its frames are named. May block for some seconds.
  virtual Result<> before_naming() = 0;
};

// What makes a command that we start name its functions, should it be of that language.
class CommandHelp {
 public:
  virtual ~CommandHelp() = default;  // what the command wrote because of it is gone with it
  // "NAME=VALUE", in the place of ours.
  virtual std::vector<std::string> environment() const = 0;
  // The command is this process, and has not begun. An error: it is to begin without that environment.
  virtual Result<> prepare(pid_t command) = 0;
  // A process of it was seen.
  virtual void note_process(pid_t) {}
};

// What a kernel has in one process; the process is left as it was when this goes. At most one of the three is there.
struct Attachment {
  std::unique_ptr<StackReader> reader;
  std::unique_ptr<OwnRecorder> recorder;
  std::unique_ptr<Companion> companion;
  std::vector<std::string> notes;  // what a person should know of it, once it is at work
};

// What a capture shows of a runtime.
struct Outlook {
  std::string shows;            // "Python functions, files and lines among native and kernel frames"
  std::string limits;           // what it will not show, and what to do about that; empty: nothing
  bool is_native_only = false;  // the kernel cannot do more for this process than the native one
};

// A thing outside of us that a kernel can use, as `atys doctor` shows it.
struct KernelNeed {
  std::string name;  // "async-profiler"
  bool works = false;
  std::string detail;  // where it is, or what is lost without it
  std::string fix;     // the exact thing to do; empty: nothing to be done
};

class ProfilingKernel {
 public:
  virtual ~ProfilingKernel() = default;
  virtual std::string_view name() const = 0;  // "python": the folder's
  virtual const RuntimeSigns& signs() const = 0;
  virtual Outlook outlook(pid_t pid, const DetectedRuntime& runtime) const = 0;
  // May take up to some hundred milliseconds, but never slows the process. An error: native frames only, and it is told.
  virtual Result<Attachment> attach(const AttachRequest& request) const = 0;
  // Null: a command needs none, or is of another language.
  virtual std::unique_ptr<CommandHelp> help_command(const RecordingPlan&) const { return nullptr; }
  // Takes back what a recording that was killed had noted as this kernel's; false: it is still there.
  virtual bool undo(const TraceNote&, bool /*is_alive*/) const { return true; }
  virtual bool reads_stacks() const { return false; }  // it attaches a StackReader
  virtual std::vector<KernelNeed> needs() const { return {}; }
  // A name of a perf map, if it has this runtime's form.
  virtual std::optional<JitName> split_jit_name(std::string_view) const { return {}; }
};

// All of them but `native`, in the order of the list.
const std::vector<std::unique_ptr<ProfilingKernel>>& profiling_kernels();
const ProfilingKernel* find_kernel(std::string_view name);
// By the first kernel that knows the form; names that none knows stay whole.
std::optional<JitName> split_jit_name(std::string_view name);

}  // namespace atys::capture
