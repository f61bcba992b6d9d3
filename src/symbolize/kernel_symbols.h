// SPDX-License-Identifier: Apache-2.0
// The functions of the running Linux kernel and its modules, from /proc/kallsyms; sorted and compact.
#pragma once

#include <cstdint>
#include <memory>
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

  // As bytes, for a cache. `load` checks everything and copies nothing: `keeper` holds the bytes, or the caller does.
  std::span<const std::byte> save() const { return bytes_; }
  static Result<KernelSymbols> load(std::span<const std::byte> bytes, std::shared_ptr<const void> keeper = nullptr);

  // The views live as long as this object.
  std::optional<KernelSymbol> resolve(uint64_t address) const;
  uint64_t text_start() const { return text_start_; }  // _text, or _stext; 0: not known
  size_t size() const { return addresses_.size(); }
  size_t memory_bytes() const { return bytes_.size(); }

 private:
  KernelSymbols() = default;

  // Columns, by address: 14 bytes for a symbol and its name. All of it lies in `bytes_`.
  std::shared_ptr<const void> keeper_;
  std::span<const std::byte> bytes_;
  std::span<const uint64_t> addresses_;
  std::span<const uint32_t> names_at_;
  std::span<const uint16_t> modules_of_;
  std::string_view names_;  // each ends with a zero byte
  std::vector<std::string_view> modules_{std::string_view()};
  uint64_t text_start_ = 0;
};

}  // namespace atys::symbolize
