// SPDX-License-Identifier: Apache-2.0
// What the modules of one store share: the limits on memory and descriptors, the cache, and the right to ask for debug
// files.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/guarded.h"
#include "symbolize/debug_files.h"
#include "symbolize/disk_cache.h"

namespace atys::symbolize {

class Module;

struct ModuleStoreOptions {
  std::string cache_folder;  // empty: nothing is kept on disk
  uint64_t cache_bytes = uint64_t{512} << 20;
  std::string debug_folder = "/usr/lib/debug";
  bool may_ask_debuginfod = false;  // and DEBUGINFOD_URLS is set
  int debuginfod_seconds = 20;
  bool wants_lines = true;       // false: function names only, from the symbol tables
  size_t most_open_files = 256;  // of binaries; debug files count on their own
  size_t most_debug_files = 32;
  uint64_t most_debug_bytes = uint64_t{1} << 30;    // of debug information in memory, all binaries together
  uint64_t largest_debug_file = uint64_t{1} << 30;  // of debug information, unpacked; larger ones give function names only
};

// Where a module gets what is not in its file. One who may open nothing himself gets it from who may.
class ModuleSupplies {
 public:
  virtual ~ModuleSupplies() = default;
  virtual Result<ElfFile> find_debug_file(const ElfFile& file, const DebugFileSearch& search) = 0;
  virtual Result<ElfFile> find_alternate_file(const DwarfInfo::AlternateLink& link, const DebugFileSearch& search) = 0;
  virtual std::optional<Bytes> load(std::string_view kind, std::string_view key) = 0;
  virtual void store(std::string_view kind, std::string_view key, std::span<const std::byte> content) = 0;
};

class ModuleResources {
 public:
  // Without `supplies` files are looked for and kept on this machine's disk.
  explicit ModuleResources(ModuleStoreOptions options, std::shared_ptr<ModuleSupplies> supplies = nullptr);
  Result<ElfFile> find_debug_file(const ElfFile& file, const DebugFileSearch& search);
  Result<ElfFile> find_alternate_file(const DwarfInfo::AlternateLink& link, const DebugFileSearch& search);

  const ModuleStoreOptions& options() const { return options_; }
  uint64_t next_use() { return ++uses_; }
  // `module` now holds so much debug information. Those that have to give theirs up are told to; the caller holds no lock.
  void admit_debug_info(const std::shared_ptr<Module>& module, uint64_t bytes);

  // The disk cache, where there is one. Failures to write are no failures of the caller.
  // Without a key nothing is kept.
  std::optional<Bytes> load(std::string_view kind, std::string_view key);
  void store(std::string_view kind, std::string_view key, std::span<const std::byte> content);

 private:
  struct Resident {
    std::weak_ptr<Module> module;
    uint64_t bytes = 0;
  };
  std::vector<std::shared_ptr<Module>> choose_victims(const std::shared_ptr<Module>& newest);

  const ModuleStoreOptions options_;
  const std::shared_ptr<ModuleSupplies> supplies_;
  std::atomic<uint64_t> uses_ = 0;
  std::mutex mutex_;
  std::vector<Resident> residents_;
  Guarded<std::optional<DiskCache>> cache_;
};

}  // namespace atys::symbolize
