// SPDX-License-Identifier: Apache-2.0
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

// Takes `count` values off the front; false: there are not as many.
template <typename T>
bool take(std::span<const std::byte>& from, T* into, size_t count) {
  if (from.size() / sizeof(T) < count) return false;
  if (count > 0) std::memcpy(into, from.data(), count * sizeof(T));
  from = from.subspan(count * sizeof(T));
  return true;
}

}  // namespace

Bytes KernelSymbols::save() const {
  std::string module_names;
  for (size_t i = 1; i < modules_.size(); ++i) module_names.append(modules_[i]).push_back('\0');
  const Header header{addresses_.size(), names_.size(), module_names.size(), text_start_};
  Bytes out;
  out.reserve(sizeof(header) + addresses_.size() * 14 + names_.size() + module_names.size());
  put(out, &header, 1);
  put(out, addresses_.data(), addresses_.size());
  put(out, names_at_.data(), names_at_.size());
  put(out, modules_of_.data(), modules_of_.size());
  put(out, names_.data(), names_.size());
  put(out, module_names.data(), module_names.size());
  return out;
}

Result<KernelSymbols> KernelSymbols::load(std::span<const std::byte> bytes) {
  const Error damaged = fail(ErrorCode::InvalidInput, "kernel symbols: the cached table is damaged");
  Header header;
  if (!take(bytes, &header, 1)) return damaged;
  // 14 bytes a symbol: the counts cannot ask for more memory than the file has bytes.
  if (header.symbols > bytes.size() / 14 || header.name_bytes > bytes.size() || header.module_bytes > bytes.size())
    return damaged;
  KernelSymbols symbols;
  symbols.addresses_.resize(header.symbols);
  symbols.names_at_.resize(header.symbols);
  symbols.modules_of_.resize(header.symbols);
  symbols.names_.resize(header.name_bytes);
  std::string module_names(header.module_bytes, '\0');
  if (!take(bytes, symbols.addresses_.data(), header.symbols) || !take(bytes, symbols.names_at_.data(), header.symbols) ||
      !take(bytes, symbols.modules_of_.data(), header.symbols) || !take(bytes, symbols.names_.data(), header.name_bytes) ||
      !take(bytes, module_names.data(), header.module_bytes) || !bytes.empty())
    return damaged;
  for (size_t begin = 0; begin < module_names.size();) {
    const size_t end = module_names.find('\0', begin);
    if (end == std::string::npos) return damaged;
    symbols.modules_.push_back(module_names.substr(begin, end - begin));
    begin = end + 1;
  }
  if (symbols.names_.empty() || symbols.names_.back() != '\0') return damaged;
  for (size_t i = 0; i < header.symbols; ++i)
    if (symbols.names_at_[i] >= symbols.names_.size() || symbols.modules_of_[i] >= symbols.modules_.size() ||
        (i > 0 && symbols.addresses_[i - 1] > symbols.addresses_[i]))
      return damaged;
  symbols.text_start_ = header.text_start;
  return symbols;
}

}  // namespace atys::symbolize
