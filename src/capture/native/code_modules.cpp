// SPDX-License-Identifier: Apache-2.0
#include "capture/native/code_modules.h"

namespace atys::capture::native {

CodeModules::CodeModules(symbolize::ModuleStoreOptions options) : store_(std::move(options)), modules_(kFirstFileModule) {}

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
  const auto elf = module.elf();
  if (elf == nullptr) return nullptr;
  auto table = unwind::UnwindTable::compile(*elf);
  if (!table.ok()) return nullptr;
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
