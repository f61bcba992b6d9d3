// SPDX-License-Identifier: Apache-2.0
#include "capture/native/code_modules.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

#include "capture/preload/shared_memory.h"
#include "linux/host.h"
#include "linux/proc_file.h"
#include "unwind/compile_rules.h"

namespace atys::capture::native {

namespace {
constexpr std::string_view kRules = "unwind-3";
constexpr std::string_view kKernel = "kernel-1";
constexpr std::string_view kLines = "lines-4";
constexpr size_t kMostWithoutLine = 4096;
}  // namespace

CodeModules::CodeModules(symbolize::ModuleStoreOptions options) : store_(options), modules_(kFirstFileModule) {
  if (options.cache_folder.empty()) return;
  if (auto cache = symbolize::DiskCache::open(options.cache_folder, options.cache_bytes); cache.ok())
    cache_.emplace(cache.take());
}

ModuleNumber CodeModules::number_of(pid_t pid, const linux::MappedRange& range) {
  const CpuMeter::Use use(first_looks_);
  std::shared_ptr<symbolize::Module> module = store_.module_for(pid, range);
  const auto [found, is_new] = numbers_.try_emplace(module.get(), static_cast<ModuleNumber>(modules_.size()));
  if (is_new) modules_.push_back({.file = std::move(module), .is_ours = range.path == preload::kLibraryPath});
  return found->second;
}

ModuleNumber CodeModules::number_of_jit(pid_t pid) {
  const auto [found, is_new] = jit_numbers_.try_emplace(pid, static_cast<ModuleNumber>(modules_.size()));
  if (is_new) {
    const CpuMeter::Use use(first_looks_);
    Entry entry{.jit_process = pid};
    if (auto map = symbolize::JitMapFile::find(pid); map.ok())
      entry.jit_map = std::make_unique<symbolize::JitMapFile>(map.take());
    modules_.push_back(std::move(entry));
  }
  return found->second;
}

ModuleNumber CodeModules::number_of_reader(std::shared_ptr<StackReader> reader) {
  modules_.push_back({.reader = std::move(reader)});
  return static_cast<ModuleNumber>(modules_.size() - 1);
}

const unwind::UnwindTable* CodeModules::unwind_table(ModuleNumber number) {
  Entry& entry = modules_[number];
  if (!entry.has_looked_for_rules) {
    const CpuMeter::Use use(first_looks_);
    entry.has_looked_for_rules = true;
    if (entry.file != nullptr) entry.rules = load_rules(*entry.file);
  }
  return entry.rules.get();
}

std::string CodeModules::cache_key(const symbolize::Module& module) const {
  return cache_ ? module.cache_key() : std::string();
}

std::unique_ptr<unwind::UnwindTable> CodeModules::load_rules(symbolize::Module& module) {
  const std::string key = cache_key(module);
  if (!key.empty())
    if (const auto bytes = cache_->load(kRules, key))
      if (auto table = unwind::UnwindTable::parse(*bytes); table.ok())
        return std::make_unique<unwind::UnwindTable>(table.take());
  auto table = unwind::compile_rules(module);
  if (!table.ok()) return nullptr;
  if (!key.empty()) (void)cache_->store(kRules, key, table->serialize());  // it will be made again next time
  return std::make_unique<unwind::UnwindTable>(table.take());
}

void CodeModules::load_lines(Entry& entry) {
  if (entry.lines != nullptr) return;
  entry.lines = std::make_unique<symbolize::LineCache>();
  if (const std::string key = cache_key(*entry.file); !key.empty())
    if (auto kept = cache_->map(kLines, key)) entry.lines->load(kept->content, std::move(kept->keeper));
}

void CodeModules::prepare(ModuleNumber number, const std::vector<symbolize::Module::Wanted>& wanted) {
  Entry& entry = modules_[number];
  load_lines(entry);
  std::vector<symbolize::Module::Wanted> unknown;
  for (const auto& one : wanted)
    if (!entry.lines->find(one.address)) unknown.push_back(one);
  entry.file->prepare(unknown, !cache_key(*entry.file).empty());
}

std::vector<symbolize::SourceFrame> CodeModules::resolve(ModuleNumber number, uint64_t address,
                                                         symbolize::Module::Effort effort) {
  Entry& entry = modules_[number];
  load_lines(entry);
  if (auto known = entry.lines->find(address)) return std::move(*known);
  auto frames = entry.file->resolve(address, effort);
  learn_lines(entry, address, frames);
  return frames;
}

void CodeModules::learn_lines(Entry& entry, uint64_t address, const std::vector<symbolize::SourceFrame>& frames) {
  std::vector<symbolize::ResolvedRange> ranges;
  if (!cache_key(*entry.file).empty()) ranges = entry.file->ranges_around(address, frames);
  // A name without a line that is not from debug information is from the symbol table, which is quick, and a debug file may
  // be there tomorrow.
  if (ranges.empty() && !frames.empty() && frames.front().line > 0) ranges.push_back({address, address + 1, frames});
  if (ranges.empty() && entry.without_line.size() < kMostWithoutLine) entry.without_line.push_back(address);
  for (auto& range : ranges) entry.lines->add(std::move(range));
}

// A debug file that one place was worth opening for is asked for the others too: next time they may be worth it.
void CodeModules::save_lines() {
  for (Entry& entry : modules_) {
    if (entry.lines == nullptr || !entry.lines->has_news()) continue;
    for (const uint64_t address : std::exchange(entry.without_line, {}))
      if (!entry.lines->find(address))
        learn_lines(entry, address, entry.file->resolve(address, symbolize::Module::Effort::Names));
    const std::string key = cache_key(*entry.file);
    if (!key.empty()) (void)cache_->store(kLines, key, entry.lines->save());  // they will be resolved again next time
  }
}

const symbolize::KernelSymbols* CodeModules::kernel_symbols(std::string& why) {
  if (!kernel_) kernel_.emplace(read_kernel_symbols());
  if (kernel_->ok()) return &kernel_->value();
  why = kernel_->error().message;
  return nullptr;
}

// Reading /proc/kallsyms costs the kernel more than everything else that a short recording does. Its content changes with
// the boot and with the modules that are loaded.
Result<symbolize::KernelSymbols> CodeModules::read_kernel_symbols() {
  std::string key;
  const std::string boot = linux::boot_digits();
  const auto loaded = linux::read_proc_file("/proc/modules", size_t{1} << 20);
  if (cache_ && !boot.empty()) {
    key = boot + fmt::format("{:016x}", loaded.ok() ? XXH3_64bits(loaded->data(), loaded->size()) : 0);
  }
  if (!key.empty())
    if (auto kept = cache_->map(kKernel, key))
      if (auto symbols = symbolize::KernelSymbols::load(kept->content, std::move(kept->keeper)); symbols.ok())
        return symbols;
  auto symbols = symbolize::KernelSymbols::read();
  if (symbols.ok() && !key.empty()) (void)cache_->store(kKernel, key, symbols->save());  // read again next time
  return symbols;
}

bool CodeModules::is_go(ModuleNumber number) {
  Entry& entry = modules_[number];
  if (entry.go < 0) {
    const CpuMeter::Use use(first_looks_);
    const auto elf = entry.file == nullptr ? nullptr : entry.file->elf();
    entry.go = elf != nullptr && (elf->has_section(".gopclntab") || elf->has_section(".data.rel.ro.gopclntab"));
  }
  return entry.go == 1;
}

}  // namespace atys::capture::native
