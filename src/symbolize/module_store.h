// SPDX-License-Identifier: Apache-2.0
// Every binary seen in a recording, each opened once, while its process is there. Safe for use by several threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "linux/proc_maps.h"
#include "symbolize/mapped_file.h"
#include "symbolize/module.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {

class ModuleStore {
 public:
  explicit ModuleStore(ModuleStoreOptions options = {});

  // The module that `range` of process `pid` is of; never null. One that cannot be opened has no elf().
  std::shared_ptr<Module> module_for(pid_t pid, const linux::MappedRange& range);
  size_t size() const;
  // Between two windows of a long recording: see Module::forget_sections().
  void forget_sections();

 private:
  std::shared_ptr<Module> module_of_file(pid_t pid, const linux::MappedRange& range, const MappedFile& file);
  std::shared_ptr<Module> module_of_image(pid_t pid, const linux::MappedRange& range);
  bool has_debug_file_in(const std::string& root, const ElfFile& file, const std::string& path) const;
  std::shared_ptr<Module> module_without_file(const linux::MappedRange& range);
  void keep_limits();

  std::shared_ptr<ModuleResources> resources_;  // also held by the modules, which may outlive the store
  mutable std::mutex mutex_;                    // of all below
  // By which file it is, as the kernel says, and where that makes a difference in which tree of files; never by what the
  // file says of itself.
  std::unordered_map<std::string, std::shared_ptr<Module>> modules_;
  std::unordered_map<std::string, std::shared_ptr<Module>> seen_;  // the same by file and tree: nothing is looked at twice
};

}  // namespace atys::symbolize
