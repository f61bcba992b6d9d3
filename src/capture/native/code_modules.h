// SPDX-License-Identifier: Apache-2.0
// Every binary that a stack of this recording passed through, by a small number, with its unwind rules once they are needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/cpu_meter.h"
#include "capture/walking/stack_reader.h"
#include "linux/proc_maps.h"
#include "symbolize/disk_cache.h"
#include "symbolize/jit_map.h"
#include "symbolize/kernel_symbols.h"
#include "symbolize/line_cache.h"
#include "symbolize/module_store.h"
#include "unwind/unwind_table.h"

namespace atys::capture::native {

using ModuleNumber = uint32_t;
constexpr ModuleNumber kKernelModule = 0;   // addresses of the Linux kernel
constexpr ModuleNumber kUnknownModule = 1;  // addresses in no mapping that we know
constexpr ModuleNumber kFirstFileModule = 2;

class CodeModules {
 public:
  explicit CodeModules(symbolize::ModuleStoreOptions options);

  // What the first look at each thing costs, of whatever kind: at a process, a binary, an interpreter, a thread. It comes
  // once, however often is sampled.
  CpuMeter& first_looks() { return first_looks_; }
  const CpuMeter& first_looks() const { return first_looks_; }

  // The file behind a mapping of a process.
  ModuleNumber number_of(pid_t pid, const linux::MappedRange& range);
  // Memory of a process with code that is in no file.
  ModuleNumber number_of_jit(pid_t pid);

  // Frames of a language; their addresses are the reader's ids.
  ModuleNumber number_of_reader(std::shared_ptr<StackReader> reader);
  StackReader* reader(ModuleNumber number) const { return modules_[number].reader.get(); }  // null: code

  size_t size() const { return modules_.size(); }
  symbolize::Module* file(ModuleNumber number) const { return modules_[number].file.get(); }  // null: kernel, unknown, JIT
  // Where the runtime of a process writes the names of its code; null: the process was gone already.
  const symbolize::JitMapFile* jit_map(ModuleNumber number) const { return modules_[number].jit_map.get(); }
  // The library that we put into programs: of no interest to who looks at them.
  bool is_ours(ModuleNumber number) const { return modules_[number].is_ours; }
  pid_t jit_process(ModuleNumber number) const { return modules_[number].jit_process; }  // 0: not of a JIT

  // Innermost first; empty: not known. Lines that debug information gave are kept from one recording to the next.
  void prepare(ModuleNumber number, const std::vector<symbolize::Module::Wanted>& wanted);
  std::vector<symbolize::SourceFrame> resolve(ModuleNumber number, uint64_t address, symbolize::Module::Effort effort);
  void save_lines();
  void forget_sections() { store_.forget_sections(); }

  // Null: there are none.
  const unwind::UnwindTable* unwind_table(ModuleNumber number);
  // The kernel's functions; from the cache where this boot has them already. Null: hidden, and `why` says so.
  const symbolize::KernelSymbols* kernel_symbols(std::string& why);
  // Its compiler keeps frame pointers although it writes no unwind rules: Go.
  bool is_go(ModuleNumber number);

 private:
  struct Entry {
    std::shared_ptr<symbolize::Module> file;
    bool is_ours = false;
    pid_t jit_process = 0;
    std::shared_ptr<StackReader> reader;
    std::unique_ptr<symbolize::JitMapFile> jit_map;
    bool has_looked_for_rules = false;
    std::unique_ptr<unwind::UnwindTable> rules;
    int go = -1;  // -1: not looked yet
    std::unique_ptr<symbolize::LineCache> lines;
    std::vector<uint64_t> without_line;  // for which no debug file was opened
  };
  Result<symbolize::KernelSymbols> read_kernel_symbols();
  std::string cache_key(const symbolize::Module& module) const;  // empty: not to be cached
  std::unique_ptr<unwind::UnwindTable> load_rules(symbolize::Module& module);
  void load_lines(Entry& entry);
  void learn_lines(Entry& entry, uint64_t address, const std::vector<symbolize::SourceFrame>& frames);

  CpuMeter first_looks_;
  symbolize::ModuleStore store_;
  std::optional<symbolize::DiskCache> cache_;  // of rules; the store has its own of symbols, in the same folder
  std::vector<Entry> modules_;
  std::optional<Result<symbolize::KernelSymbols>> kernel_;
  std::unordered_map<const symbolize::Module*, ModuleNumber> numbers_;
  std::unordered_map<pid_t, ModuleNumber> jit_numbers_;
};

}  // namespace atys::capture::native
