// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module_resources.h"

#include <algorithm>

#include "symbolize/module.h"

namespace atys::symbolize {

ModuleResources::ModuleResources(ModuleStoreOptions options, std::shared_ptr<ModuleSupplies> supplies)
    : options_(std::move(options)), supplies_(std::move(supplies)) {
  if (options_.cache_folder.empty() || supplies_ != nullptr) return;
  if (auto cache = DiskCache::open(options_.cache_folder, options_.cache_bytes); cache.ok()) *cache_.lock() = cache.take();
}

Result<ElfFile> ModuleResources::find_debug_file(const ElfFile& file, const DebugFileSearch& search) {
  return supplies_ != nullptr ? supplies_->find_debug_file(file, search) : symbolize::find_debug_file(file, search);
}

Result<ElfFile> ModuleResources::find_alternate_file(const DwarfInfo::AlternateLink& link, const DebugFileSearch& search) {
  return supplies_ != nullptr ? supplies_->find_alternate_file(link, search) : symbolize::find_alternate_file(link, search);
}

std::optional<Bytes> ModuleResources::load(std::string_view kind, std::string_view key) {
  if (key.empty()) return {};
  if (supplies_ != nullptr) return supplies_->load(kind, key);
  const auto cache = cache_.lock();
  return *cache ? (*cache)->load(kind, key) : std::nullopt;
}

void ModuleResources::store(std::string_view kind, std::string_view key, std::span<const std::byte> content) {
  if (key.empty()) return;
  if (supplies_ != nullptr) return supplies_->store(kind, key, content);
  const auto cache = cache_.lock();
  // What is not kept is made again next time.
  if (*cache) (void)(*cache)->store(kind, key, content);
}

std::vector<std::shared_ptr<Module>> ModuleResources::choose_victims(const std::shared_ptr<Module>& newest) {
  uint64_t total = 0;
  for (const Resident& resident : residents_) total += resident.bytes;
  std::vector<std::shared_ptr<Module>> victims;
  while (residents_.size() > 1 && (total > options_.most_debug_bytes || residents_.size() > options_.most_debug_files)) {
    auto oldest = residents_.end();
    uint64_t oldest_use = UINT64_MAX;
    for (auto at = residents_.begin(); at != residents_.end(); ++at) {
      const auto module = at->module.lock();
      const uint64_t use = module == nullptr ? 0 : module->last_use();
      if (module == newest || use >= oldest_use) continue;
      oldest = at;
      oldest_use = use;
    }
    if (oldest == residents_.end()) break;
    total -= oldest->bytes;
    if (auto module = oldest->module.lock()) victims.push_back(std::move(module));
    residents_.erase(oldest);
  }
  return victims;
}

void ModuleResources::admit_debug_info(const std::shared_ptr<Module>& module, uint64_t bytes) {
  std::vector<std::shared_ptr<Module>> victims;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(residents_, [&](const Resident& resident) {
      const auto held = resident.module.lock();
      return held == nullptr || held == module;
    });
    residents_.push_back({module, bytes});
    victims = choose_victims(module);
  }
  for (const auto& victim : victims) victim->drop_debug_info();
}

}  // namespace atys::symbolize
