// SPDX-License-Identifier: Apache-2.0
#include "symbolize/kernel_symbols_codec.h"

#include <cstring>

#include "symbolize/kernel_symbols.h"

namespace atys::symbolize {

namespace {

struct Header {
  uint64_t symbols = 0;
  uint64_t name_bytes = 0;
  uint64_t module_bytes = 0;  // names of modules, each ended by a zero byte, without the first, empty one
  uint64_t text_start = 0;
};

template <typename T>
void put(Bytes& out, const T* from, size_t count) {
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  out.insert(out.end(), bytes, bytes + count * sizeof(T));
}

// Takes `count` values off the front, where they lie; false: there are not as many. The widest come first, so that all are
// aligned if the first is.
template <typename T>
bool take(std::span<const std::byte>& from, std::span<const T>& values, size_t count) {
  if (from.size() / sizeof(T) < count) return false;
  values = {reinterpret_cast<const T*>(from.data()), count};
  from = from.subspan(count * sizeof(T));
  return true;
}

}  // namespace

Bytes encode_kernel_symbols(const KernelSymbolColumns& columns, uint64_t text_start) {
  std::string module_names;
  for (size_t i = 1; i < columns.modules.size(); ++i) module_names.append(columns.modules[i]).push_back('\0');
  const Header header{columns.addresses.size(), columns.names.size(), module_names.size(), text_start};
  Bytes out;
  out.reserve(sizeof(header) + columns.addresses.size() * 14 + columns.names.size() + module_names.size());
  put(out, &header, 1);
  put(out, columns.addresses.data(), columns.addresses.size());
  put(out, columns.names_at.data(), columns.names_at.size());
  put(out, columns.modules_of.data(), columns.modules_of.size());
  put(out, columns.names.data(), columns.names.size());
  put(out, module_names.data(), module_names.size());
  return out;
}

Result<KernelSymbols> KernelSymbols::load(std::span<const std::byte> bytes, std::shared_ptr<const void> keeper) {
  const Error damaged = fail(ErrorCode::InvalidInput, "kernel symbols: the cached table is damaged");
  KernelSymbols symbols;
  symbols.keeper_ = std::move(keeper);
  symbols.bytes_ = bytes;
  std::span<const Header> header;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(Header) != 0 || !take(bytes, header, 1)) return damaged;
  const auto [count, name_bytes, module_bytes, text_start] = header[0];
  std::span<const char> names;
  std::span<const char> module_names;
  if (!take(bytes, symbols.addresses_, count) || !take(bytes, symbols.names_at_, count) ||
      !take(bytes, symbols.modules_of_, count) || !take(bytes, names, name_bytes) ||
      !take(bytes, module_names, module_bytes) || !bytes.empty())
    return damaged;
  symbols.names_ = {names.data(), names.size()};
  std::string_view modules(module_names.data(), module_names.size());
  for (size_t end = 0; !modules.empty(); modules.remove_prefix(end + 1)) {
    end = modules.find('\0');
    if (end == std::string_view::npos) return damaged;
    symbols.modules_.push_back(modules.substr(0, end));
  }
  if (symbols.names_.empty() || symbols.names_.back() != '\0') return damaged;
  for (size_t i = 0; i < count; ++i)
    if (symbols.names_at_[i] >= symbols.names_.size() || symbols.modules_of_[i] >= symbols.modules_.size() ||
        (i > 0 && symbols.addresses_[i - 1] > symbols.addresses_[i]))
      return damaged;
  symbols.text_start_ = text_start;
  return symbols;
}

}  // namespace atys::symbolize
