// SPDX-License-Identifier: Apache-2.0
// A binary of any bytes, read as a recording reads it: sections, packed ones too, names by every table that a file may have,
// and symbols by name.
#include "symbolize/module.h"

#include "symbolize/debug_files.h"
#include "symbolize/frame_section.h"
#include "symbolize/mini_debug.h"
#include "symbolize/module_resources.h"
#include "symbolize/symbol_search.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::symbolize;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  auto parsed = ElfFile::parse(atys::Bytes(bytes, bytes + size), "fuzzed");
  if (!parsed.ok()) return 0;
  const auto file = std::make_shared<const ElfFile>(parsed.take());
  constexpr uint64_t kMostBytes = uint64_t{16} << 20;
  if (file->unpacked_bytes("") > kMostBytes) return 0;  // what bounds are for; here they would only make it slow
  for (const char* name : {".debug_frame", ".debug_info", ".zdebug_info", ".gnu_debuglink", ".comment"})
    (void)file->section(name, kMostBytes);
  (void)open_mini_debug(*file);
  (void)find_symbols(*file, {"main", "_start"}, Tables::All);
  const auto resources = std::make_shared<ModuleResources>(
      ModuleStoreOptions{.debug_folder = "/nonexistent", .largest_debug_file = kMostBytes});
  const auto module = std::make_shared<Module>(Module::Origin{.path = "fuzzed"}, file, resources);
  for (const auto& segment : module->segments())
    for (uint64_t i = 0; i < 32; ++i) {
      const auto frames = module->resolve(segment.address + i * 16);
      (void)module->ranges_around(segment.address + i * 16, frames);
    }
  return 0;
}
