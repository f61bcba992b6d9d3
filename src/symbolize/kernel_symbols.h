// SPDX-License-Identifier: Apache-2.0
// The functions of the running Linux kernel and its modules, from /proc/kallsyms; sorted and compact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace atys::symbolize {

struct KernelSymbol {
  std::string_view name;
  std::string_view module;  // empty: the kernel itself
  uint64_t address = 0;
};

class KernelSymbols {
 public:
  // Fails, with the setting that changes it, where the system hides the addresses.
  static Result<KernelSymbols> read(const std::string& path = "/proc/kallsyms");
  static Result<KernelSymbols> parse(std::string_view text);

  // As bytes, for a cache. `load` checks everything.
  Bytes save() const;
  static Result<KernelSymbols> load(std::span<const std::byte> bytes);

  // The views live as long as this object.
  std::optional<KernelSymbol> resolve(uint64_t address) const;
  uint64_t text_start() const { return text_start_; }  // _text, or _stext; 0: not known
  size_t size() const { return addresses_.size(); }
  size_t memory_bytes() const;

 private:
  friend class KallsymsParser;
  KernelSymbols() = default;

  // Columns, by address: 14 bytes for a symbol and its name.
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> names_at_;
  std::vector<uint16_t> modules_of_;
  std::vector<std::string> modules_{std::string()};
  std::string names_;  // each ends with a zero byte
  uint64_t text_start_ = 0;
};

}  // namespace atys::symbolize
