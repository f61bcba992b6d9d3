// SPDX-License-Identifier: Apache-2.0
// The executable mappings of one process, as they are at the moment of the sample that is looked at.
#pragma once

#include <map>

#include "capture/native/code_modules.h"
#include "linux/proc_maps.h"

namespace atys::capture::native {

// An address that means the same in every process: a binary and the binary's own address.
struct CodePlace {
  ModuleNumber module = kUnknownModule;
  uint64_t address = 0;

  bool operator==(const CodePlace&) const = default;
};

class AddressSpace {
 public:
  // A newer mapping takes the place of what it overlaps.
  void add(const linux::MappedRange& range);
  void clear();
  bool is_empty() const { return ranges_.empty(); }
  bool contains(uint64_t address) const { return find(address) != nullptr; }
  bool has(const linux::MappedRange& range) const;  // that very one

  // Code of the C library: what programs and threads begin in.
  bool is_libc(uint64_t address) const;

  CodePlace place_of(pid_t pid, uint64_t address, CodeModules& modules);

  // Changes whenever a mapping does; no two spaces ever share one.
  uint64_t generation() const { return generation_; }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [start, mapped] : ranges_) visit(mapped.range);
  }

 private:
  static constexpr ModuleNumber kNotAskedYet = UINT32_MAX;
  struct Mapped {
    linux::MappedRange range;
    ModuleNumber module = kNotAskedYet;
    bool is_libc = false;
  };
  const Mapped* find(uint64_t address) const;
  void renew();

  std::map<uint64_t, Mapped> ranges_;  // by start; they do not overlap
  uint64_t generation_ = 0;
};

}  // namespace atys::capture::native
