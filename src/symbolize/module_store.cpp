// SPDX-License-Identifier: Apache-2.0
#include "symbolize/module_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "linux/namespaces.h"
#include "symbolize/debug_files.h"

namespace atys::symbolize {

namespace {

constexpr size_t kMostFiles = size_t{1} << 16;

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
  const FileState state = state_of(found.handle.get(), range.file);
  const std::string tree = foreign_tree_of(pid);
  const std::string seen_key = state.text() + "@" + tree;
  const std::lock_guard lock(mutex_);
  if (const auto known = seen_.find(seen_key); known != seen_.end()) return known->second;
  auto fd = open_for_reading(found.handle, range.path);
  if (!fd.ok()) return nullptr;
  auto file = ElfFile::open(fd.take(), range.path);
  if (!file.ok()) return nullptr;
  Module::Origin origin{range.path, pid, state, found.can_be_found_again};
  // A container's files are read as it sees them, and what its debug files say is told of its own processes alone. Without
  // any, the file itself is all there is, and the same for everybody who has it mapped.
  if (!tree.empty()) {
    origin.is_of_its_tree_alone =
        state.is_answered_by_a_program || has_debug_file_in(linux::root_of(pid), *file, range.path);
    origin.pid = origin.is_of_its_tree_alone ? pid : 0;
  }
  std::shared_ptr<Module>& module = modules_[origin.is_of_its_tree_alone ? seen_key : state.text()];
  if (module == nullptr)
    module = std::make_shared<Module>(std::move(origin), std::make_shared<const ElfFile>(file.take()), resources_);
  seen_[seen_key] = module;
  return module;
}

bool ModuleStore::has_debug_file_in(const std::string& root, const ElfFile& file, const std::string& path) const {
  const DebugFileSearch search{.path = path, .root = root, .debug_folder = resources_->options().debug_folder};
  return find_debug_file_in_root(file, search).ok();
}

std::shared_ptr<Module> ModuleStore::module_of_image(pid_t pid, const linux::MappedRange& range) {
  auto image = read_vdso(pid, range);
  if (!image.ok()) return nullptr;
  auto file = ElfFile::parse(image.take(), range.path);
  if (!file.ok()) return nullptr;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Module>& module = modules_[range.path + ":" + file->build_id()];
  if (module == nullptr)
    module = std::make_shared<Module>(Module::Origin{.path = range.path}, std::make_shared<const ElfFile>(file.take()),
                                      resources_);
  return module;
}

std::shared_ptr<Module> ModuleStore::module_without_file(const linux::MappedRange& range) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Module>& module = modules_[fmt::format("{}:{}:{}", range.path, range.file.device, range.file.inode)];
  if (module == nullptr) module = std::make_shared<Module>(Module::Origin{.path = range.path}, nullptr, resources_);
  return module;
}

size_t ModuleStore::size() const {
  const std::lock_guard lock(mutex_);
  return modules_.size();
}

void ModuleStore::forget_sections() {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, module] : modules_) module->forget_sections();
}

void ModuleStore::keep_limits() {
  const std::lock_guard lock(mutex_);
  if (seen_.size() + modules_.size() > kMostFiles) {
    std::erase_if(seen_, [](const auto& entry) { return entry.second.use_count() <= 2; });
    std::erase_if(modules_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  std::vector<Module*> open;
  for (const auto& [key, module] : modules_)
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
