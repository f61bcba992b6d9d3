// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace atys::symbolize {

namespace {

constexpr size_t kMostFiles = size_t{1} << 16;

std::string key_of_file(const struct stat& status) {
  return fmt::format("{}:{}:{}.{}:{}.{}:{}", status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                     status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_size);
}

// The owner is part of it: a build id is easily forged, and a user's file must not name the functions of the system's.
std::string key_of_build(const ElfFile& file, uint32_t owner) {
  return fmt::format("{}:{}:{}", file.build_id(), file.file_size(), owner);
}

}  // namespace

ModuleStore::ModuleStore(ModuleStoreOptions options) : resources_(std::make_shared<ModuleResources>(std::move(options))) {}

std::shared_ptr<Module> ModuleStore::module_for(pid_t pid, const linux::MappedRange& range) {
  std::shared_ptr<Module> module;
  if (range.path == "[vdso]") {
    module = module_of_image(pid, range);
  } else if (const auto file = find_mapped_file(pid, range); file.ok()) {
    module = module_of_file(pid, range, *file);
  }
  if (module == nullptr) module = module_without_file(range);
  keep_limits();
  return module;
}

std::shared_ptr<Module> ModuleStore::module_of_file(pid_t pid, const linux::MappedRange& range, const MappedFile& found) {
  const std::string file_key = key_of_file(found.status);
  const std::lock_guard lock(mutex_);
  if (const auto known = by_file_.find(file_key); known != by_file_.end()) return known->second;
  auto fd = open_for_reading(found.handle, range.path);
  if (!fd.ok()) return nullptr;
  auto file = ElfFile::open(fd.take(), range.path);
  if (!file.ok()) return nullptr;
  const std::string build_key = file->build_id().empty() ? file_key : key_of_build(*file, found.status.st_uid);
  std::shared_ptr<Module>& module = by_build_[build_key];
  if (module == nullptr)
    module = std::make_shared<Module>(Module::Origin{range.path, pid, found.status.st_uid, found.can_be_found_again},
                                      std::make_shared<const ElfFile>(file.take()), resources_);
  by_file_[file_key] = module;
  return module;
}

std::shared_ptr<Module> ModuleStore::module_of_image(pid_t pid, const linux::MappedRange& range) {
  auto image = read_vdso(pid, range);
  if (!image.ok()) return nullptr;
  auto file = ElfFile::parse(image.take(), range.path);
  if (!file.ok()) return nullptr;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Module>& module = by_build_[range.path + ":" + file->build_id()];
  if (module == nullptr)
    module = std::make_shared<Module>(Module::Origin{.path = range.path}, std::make_shared<const ElfFile>(file.take()),
                                      resources_);
  return module;
}

std::shared_ptr<Module> ModuleStore::module_without_file(const linux::MappedRange& range) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Module>& module = by_build_[fmt::format("{}:{}:{}", range.path, range.file.device, range.file.inode)];
  if (module == nullptr) module = std::make_shared<Module>(Module::Origin{.path = range.path}, nullptr, resources_);
  return module;
}

size_t ModuleStore::size() const {
  const std::lock_guard lock(mutex_);
  return by_build_.size();
}

void ModuleStore::forget_sections() {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, module] : by_build_) module->forget_sections();
}

void ModuleStore::keep_limits() {
  const std::lock_guard lock(mutex_);
  if (by_file_.size() + by_build_.size() > kMostFiles) {
    std::erase_if(by_file_, [](const auto& entry) { return entry.second.use_count() <= 2; });
    std::erase_if(by_build_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  std::vector<Module*> open;
  for (const auto& [key, module] : by_build_)
    if (module->holds_descriptor()) open.push_back(module.get());
  // A quarter at once, so that this is not done for every module. Files that are gone are kept longest.
  if (open.size() <= resources_->options().most_open_files) return;
  std::sort(open.begin(), open.end(), [](const Module* a, const Module* b) {
    if (a->can_be_found_again() != b->can_be_found_again()) return a->can_be_found_again();
    return a->last_use() < b->last_use();
  });
  const size_t excess = open.size() - resources_->options().most_open_files * 3 / 4;
  for (size_t i = 0; i < excess; ++i) open[i]->close_file();
}

}  // namespace atys::symbolize
