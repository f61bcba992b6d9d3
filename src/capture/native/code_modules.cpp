// SPDX-License-Identifier: Apache-2.0
#include "capture/native/code_modules.h"

namespace atys::capture::native {

namespace {
constexpr std::string_view kRules = "unwind-1";
}

CodeModules::CodeModules(symbolize::ModuleStoreOptions options) : store_(options), modules_(kFirstFileModule) {
  if (options.cache_folder.empty()) return;
  if (auto cache = symbolize::DiskCache::open(options.cache_folder, options.cache_bytes); cache.ok())
    cache_.emplace(cache.take());
}

ModuleNumber CodeModules::number_of(pid_t pid, const linux::MappedRange& range) {
  std::shared_ptr<symbolize::Module> module = store_.module_for(pid, range);
  const auto [found, is_new] = numbers_.try_emplace(module.get(), static_cast<ModuleNumber>(modules_.size()));
  if (is_new) modules_.push_back({.file = std::move(module)});
  return found->second;
}

ModuleNumber CodeModules::number_of_jit(pid_t pid) {
  const auto [found, is_new] = jit_numbers_.try_emplace(pid, static_cast<ModuleNumber>(modules_.size()));
  if (is_new) modules_.push_back({.jit_process = pid});
  return found->second;
}

const unwind::UnwindTable* CodeModules::unwind_table(ModuleNumber number) {
  Entry& entry = modules_[number];
  if (!entry.has_looked_for_rules) {
    entry.has_looked_for_rules = true;
    if (entry.file != nullptr) entry.rules = load_rules(*entry.file);
  }
  return entry.rules.get();
}

std::unique_ptr<unwind::UnwindTable> CodeModules::load_rules(symbolize::Module& module) {
  const bool can_cache = cache_ && !module.build_id().empty();
  if (can_cache)
    if (const auto bytes = cache_->load(kRules, module.build_id()))
      if (auto table = unwind::UnwindTable::parse(*bytes); table.ok())
        return std::make_unique<unwind::UnwindTable>(table.take());
  const auto elf = module.elf();
  if (elf == nullptr) return nullptr;
  auto table = unwind::UnwindTable::compile(*elf);
  if (!table.ok()) return nullptr;
  if (can_cache) (void)cache_->store(kRules, module.build_id(), table->serialize());  // it will be made again next time
  return std::make_unique<unwind::UnwindTable>(table.take());
}

bool CodeModules::is_go(ModuleNumber number) {
  Entry& entry = modules_[number];
  if (entry.go < 0) {
    const auto elf = entry.file == nullptr ? nullptr : entry.file->elf();
    entry.go = elf != nullptr && (elf->section(".gopclntab") || elf->section(".data.rel.ro.gopclntab"));
  }
  return entry.go == 1;
}

}  // namespace atys::capture::native
