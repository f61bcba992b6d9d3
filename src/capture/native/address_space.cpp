// SPDX-License-Identifier: Apache-2.0
#include "capture/native/address_space.h"

#include "base/path_names.h"
#include "capture/preload/shared_memory.h"

namespace atys::capture::native {

namespace {

bool is_of_libc(std::string_view path) {
  const std::string_view name = base_name(path);
  for (const std::string_view start : {"libc.so", "libc-2.", "libpthread", "ld-linux", "ld-2.", "ld-musl", "libc.musl"})
    if (name.starts_with(start)) return true;
  return false;
}

}  // namespace

bool AddressSpace::is_libc(uint64_t address) const {
  const Mapped* mapped = find(address);
  return mapped != nullptr && mapped->is_libc;
}

void AddressSpace::renew() {
  static uint64_t last = 0;  // all spaces belong to the one thread that collects
  generation_ = ++last;
}

void AddressSpace::clear() {
  ranges_.clear();
  renew();
}

void AddressSpace::add(const linux::MappedRange& range) {
  if (range.end <= range.start) return;
  auto at = ranges_.upper_bound(range.start);
  if (at != ranges_.begin() && std::prev(at)->second.range.end > range.start) --at;
  while (at != ranges_.end() && at->second.range.start < range.end) {
    Mapped old = at->second;
    at = ranges_.erase(at);
    if (old.range.end > range.end) {  // what is left behind the new one
      Mapped rest = old;
      rest.range.file_offset += range.end - old.range.start;
      rest.range.start = range.end;
      at = ranges_.emplace(rest.range.start, std::move(rest)).first;
    }
    if (old.range.start < range.start) {  // and before it
      old.range.end = range.start;
      ranges_.emplace(old.range.start, std::move(old));
    }
  }
  ranges_[range.start] = {range, kNotAskedYet, is_of_libc(range.path)};
  renew();
}

bool AddressSpace::has(const linux::MappedRange& range) const {
  const Mapped* mapped = find(range.start);
  return mapped != nullptr && mapped->range.start == range.start && mapped->range.end == range.end &&
         mapped->range.file == range.file && mapped->range.file_offset == range.file_offset;
}

const AddressSpace::Mapped* AddressSpace::find(uint64_t address) const {
  auto at = ranges_.upper_bound(address);
  if (at == ranges_.begin()) return nullptr;
  --at;
  return at->second.range.contains(address) ? &at->second : nullptr;
}

CodePlace AddressSpace::place_of(pid_t pid, uint64_t address, CodeModules& modules) {
  auto* mapped = const_cast<Mapped*>(find(address));
  if (mapped == nullptr) return {kUnknownModule, address};
  if (mapped->module == kNotAskedYet) {
    const bool is_file =
        !mapped->range.path.empty() && (mapped->range.path.front() == '/' || mapped->range.path == "[vdso]");
    // Memory shared under a name ("/memfd:…", "/dev/zero") with code in it is a JIT's as well.
    const std::string& path = mapped->range.path;
    const bool is_named_memory = path != preload::kLibraryPath &&
                                 (path.starts_with("/memfd:") || path.starts_with("/dev/zero") || path.starts_with("/SYSV"));
    mapped->module = is_file && !is_named_memory ? modules.number_of(pid, mapped->range) : modules.number_of_jit(pid);
  }
  const symbolize::Module* file = modules.file(mapped->module);
  if (file == nullptr) return {mapped->module, address};
  const uint64_t offset = address - mapped->range.start + mapped->range.file_offset;
  const auto file_address = file->file_address(offset);
  return {mapped->module, file_address ? *file_address : offset};
}

}  // namespace atys::capture::native
