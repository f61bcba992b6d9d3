// SPDX-License-Identifier: Apache-2.0
#include "reduce/runtime_work.h"

#include <algorithm>

namespace atys::reduce {

namespace {

struct Work {
  std::string_view name;
  std::span<const std::string_view> signs;  // parts of the names of functions
};

constexpr std::string_view kCollection[] = {"arbage coll",
                                            "gcBgMark",
                                            "runtime.bgsweep",
                                            "runtime.bgscavenge",
                                            "runtime.gc",
                                            "GangWorker",
                                            "WorkerThread::run",
                                            "G1Conc",
                                            "ConcurrentMark",
                                            "ConcurrentGC",
                                            "GCTask",
                                            "ZDriver",
                                            "ShenandoahControl",
                                            "VM_G1",
                                            "Scavenger",
                                            "ScavengeJob",
                                            "MarkCompact",
                                            "internal::Heap::",
                                            "ConcurrentMarking",
                                            "Sweeper::",
                                            "MinorGC",
                                            "gc_collect",
                                            "gc_start",
                                            "SVR::",
                                            "WKS::",
                                            "erts_garbage"};
constexpr std::string_view kCompiler[] = {"CompileBroker",      "OptimizingCompile",
                                          "internal::compiler", "internal::Compiler",
                                          "maglev::",           "ConcurrentBaseline",
                                          "jitted_method",      "CILJit",
                                          "zend_jit",           "rb_yjit",
                                          "sparkplug"};
constexpr std::string_view kScheduler[] = {"runtime.schedule", "runtime.findRunnable", "runtime.park_m", "runtime.mcall",
                                           "runtime.mstart",   "runtime.sysmon",       "erts_schedule",  "scheduler_wait"};
constexpr std::string_view kAround[] = {
    "Py_Finalize",  "Py_Initialize",    "pymain_init",   "_dl_start",   "_dl_main", "__libc_start_call_main",
    "_dl_relocate", "JNI_CreateJavaVM", "DestroyJavaVM", "node::Start", "_exit",    "do_exit",
    "execve",       "exit_mmap"};

constexpr Work kWorks[] = {{"[garbage collection]", kCollection},
                           {"[compiling code]", kCompiler},
                           {"[scheduling]", kScheduler},
                           {"[starting and ending]", kAround}};

}  // namespace

std::string_view runtime_work(std::span<const std::string_view> leaf_first) {
  for (const Work& work : kWorks) {
    for (const std::string_view name : leaf_first) {
      const auto is_in_name = [&](std::string_view sign) { return name.find(sign) != std::string_view::npos; };
      if (std::ranges::any_of(work.signs, is_in_name)) return work.name;
    }
  }
  return kOtherRuntimeWork;
}

}  // namespace atys::reduce
