// SPDX-License-Identifier: Apache-2.0
#include "capture/java/vm_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "linux/memory_reader.h"

namespace atys::capture::java {

namespace {

constexpr size_t kMostEntries = 20'000;  // of gHotSpotVMStructs; JDK 25 has some 2,500
constexpr size_t kMostFlags = 10'000;    // JDK 25 has some 1,500
constexpr size_t kLargestRow = 256;
constexpr size_t kLongestName = 64;

using Places = std::map<std::string, LoadedFile::Place>;

class Reader {
 public:
  explicit Reader(pid_t pid) : pid_(pid) {}

  template <typename T>
  std::optional<T> number(uint64_t address) const {
    return linux::ProcessMemory(pid_).value_at<T>(address);
  }

  // Empty where it cannot be read, or where it is longer than any name that we look for. Names lie close together: whole
  // blocks are read, or it would be thousands of calls.
  std::string text(uint64_t address) {
    std::string name;
    for (uint64_t at = address; address != 0 && name.size() < kLongestName; ++at) {
      const auto& block = block_at(at / kBlock);
      const char c = at % kBlock < block.size() ? std::to_integer<char>(block[at % kBlock]) : '\0';
      if (c == '\0') return name;
      name.push_back(c);
    }
    return {};
  }

  std::vector<std::byte> bytes(uint64_t address, size_t size) const {
    std::vector<std::byte> all(size);
    all.resize(linux::ProcessMemory(pid_).read(address, all));
    return all;
  }

 private:
  const std::vector<std::byte>& block_at(uint64_t number) {
    const auto found = blocks_.find(number);
    if (found == blocks_.end() && blocks_.size() >= kMostBlocks) blocks_.clear();
    return found != blocks_.end() ? found->second : blocks_.emplace(number, bytes(number * kBlock, kBlock)).first->second;
  }

  static constexpr uint64_t kBlock = 4096;  // a page or less, so that it is there whole or not at all
  static constexpr size_t kMostBlocks = 4096;
  pid_t pid_;
  std::map<uint64_t, std::vector<std::byte>> blocks_;
};

uint64_t word_at(std::span<const std::byte> row, uint64_t offset) {
  uint64_t word = 0;
  if (offset <= row.size() && row.size() - offset >= sizeof word) std::memcpy(&word, row.data() + offset, sizeof word);
  return word;
}

// How the rows of a table of libjvm lie; the machine says it in variables named PREFIX + "ArrayStride" and so on.
struct Layout {
  uint64_t rows = 0;
  uint64_t stride = 0;
  std::map<std::string_view, uint64_t> offsets;
};

std::optional<Layout> layout_of(const Reader& memory, const Places& places, const std::string& table,
                                const std::string& prefix, const std::vector<std::string_view>& columns) {
  const auto value_of = [&](const std::string& name) -> std::optional<uint64_t> {
    const auto found = places.find(name);
    return found == places.end() ? std::nullopt : memory.number<uint64_t>(found->second.address);
  };
  const auto rows = value_of(table);
  const auto stride = value_of(prefix + "ArrayStride");
  if (!rows || !stride || *stride == 0 || *stride > kLargestRow) return {};
  Layout layout{.rows = *rows, .stride = *stride, .offsets = {}};
  for (const std::string_view column : columns) {
    const auto offset = value_of(prefix + std::string(column));
    if (!offset) return {};
    layout.offsets[column] = *offset;
  }
  return layout;
}

// Calls `use(row)` for each row until it has no name any more.
template <typename Use>
void for_each_row(const Reader& memory, const Layout& layout, std::string_view name_column, const Use& use) {
  constexpr size_t kAtOnce = 128;
  for (size_t i = 0; i < kMostEntries; i += kAtOnce) {
    const auto rows = memory.bytes(layout.rows + i * layout.stride, kAtOnce * layout.stride);
    for (size_t at = 0; at < kAtOnce * layout.stride; at += layout.stride) {
      if (at + layout.stride > rows.size()) return;
      const auto row = std::span(rows).subspan(at, layout.stride);
      if (word_at(row, layout.offsets.at(name_column)) == 0) return;
      use(std::span<const std::byte>(row));
    }
  }
}

// Where the flags are and how one of them looks.
struct FlagTable {
  uint64_t first = 0;
  uint64_t count = 0;
  uint64_t size = 0;
  uint64_t name = 0;  // offsets in a flag
  uint64_t address = 0;
  bool is_complete() const { return first != 0 && count != 0 && size >= 16 && size <= kLargestRow; }
};

// JDK 8 calls the type Flag.
bool is_flag_type(std::string_view name) { return name == "JVMFlag" || name == "Flag"; }

void find_fields(Reader& memory, const Layout& structs, FlagTable& table) {
  for_each_row(memory, structs, "TypeNameOffset", [&](std::span<const std::byte> row) {
    if (!is_flag_type(memory.text(word_at(row, structs.offsets.at("TypeNameOffset"))))) return;
    const std::string field = memory.text(word_at(row, structs.offsets.at("FieldNameOffset")));
    const uint64_t address = word_at(row, structs.offsets.at("AddressOffset"));
    const uint64_t offset = word_at(row, structs.offsets.at("OffsetOffset"));
    if (field == "flags") table.first = memory.number<uint64_t>(address).value_or(0);
    if (field == "numFlags") table.count = memory.number<uint64_t>(address).value_or(0);
    if (field == "_name") table.name = offset;
    if (field == "_addr") table.address = offset;
  });
}

void find_size(Reader& memory, const Layout& types, FlagTable& table) {
  for_each_row(memory, types, "TypeNameOffset", [&](std::span<const std::byte> row) {
    if (is_flag_type(memory.text(word_at(row, types.offsets.at("TypeNameOffset")))))
      table.size = word_at(row, types.offsets.at("SizeOffset"));
  });
}

std::vector<std::string_view> wanted_symbols() {
  return {"gHotSpotVMStructs",
          "gHotSpotVMStructEntryArrayStride",
          "gHotSpotVMStructEntryTypeNameOffset",
          "gHotSpotVMStructEntryFieldNameOffset",
          "gHotSpotVMStructEntryOffsetOffset",
          "gHotSpotVMStructEntryAddressOffset",
          "gHotSpotVMTypes",
          "gHotSpotVMTypeEntryArrayStride",
          "gHotSpotVMTypeEntryTypeNameOffset",
          "gHotSpotVMTypeEntrySizeOffset"};
}

Result<FlagTable> find_flags(Reader& memory, const LoadedFile& libjvm) {
  const Places places = libjvm.symbols(wanted_symbols());
  const auto structs = layout_of(memory, places, "gHotSpotVMStructs", "gHotSpotVMStructEntry",
                                 {"TypeNameOffset", "FieldNameOffset", "OffsetOffset", "AddressOffset"});
  const auto types = layout_of(memory, places, "gHotSpotVMTypes", "gHotSpotVMTypeEntry", {"TypeNameOffset", "SizeOffset"});
  FlagTable table;
  if (structs && types) {
    find_fields(memory, *structs, table);
    find_size(memory, *types, table);
  }
  if (!table.is_complete())
    return fail(ErrorCode::Unsupported, libjvm.path + " does not describe its flags as HotSpot machines do");
  return table;
}

}  // namespace

Result<std::map<std::string, bool>> read_vm_flags(pid_t pid, const std::string& libjvm,
                                                  const std::vector<std::string_view>& names) {
  const LoadedFile file = TRY(open_loaded_file(pid, libjvm));
  Reader memory(pid);
  const FlagTable table = TRY(find_flags(memory, file));
  const auto rows = memory.bytes(table.first, std::min<uint64_t>(table.count, kMostFlags) * table.size);
  std::map<std::string, bool> flags;
  for (size_t at = 0; at + table.size <= rows.size() && flags.size() < names.size(); at += table.size) {
    const auto row = std::span(rows).subspan(at, table.size);
    const std::string name = memory.text(word_at(row, table.name));
    if (std::ranges::find(names, name) == names.end()) continue;
    if (const auto value = memory.number<uint8_t>(word_at(row, table.address))) flags[name] = *value != 0;
  }
  return flags;
}

}  // namespace atys::capture::java
