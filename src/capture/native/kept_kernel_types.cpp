// SPDX-License-Identifier: Apache-2.0
#include "capture/native/kept_kernel_types.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "linux/host.h"
#include "linux/kernel_types.h"
#include "symbolize/disk_cache.h"
#include "symbolize/module_resources.h"

namespace atys::capture::native {

namespace {
constexpr std::string_view kTypes = "kernel-types-1";
}  // namespace

// A machine runs one kernel from boot to boot.
Bytes kept_kernel_types(std::span<const std::byte> object_image, const std::string& cache_folder) {
  const std::string boot = linux::boot_digits();
  if (cache_folder.empty() || boot.empty()) return {};
  auto cache = symbolize::DiskCache::open(cache_folder, symbolize::ModuleStoreOptions{}.cache_bytes);
  if (!cache.ok()) return {};
  const std::string key = boot + fmt::format("{:016x}", XXH3_64bits(object_image.data(), object_image.size()));
  if (auto kept = cache->load(kTypes, key)) return std::move(*kept);
  auto types = linux::cut_kernel_types(object_image);
  if (!types.ok()) return {};
  (void)cache->store(kTypes, key, *types);  // made again next time
  return types.take();
}

}  // namespace atys::capture::native
