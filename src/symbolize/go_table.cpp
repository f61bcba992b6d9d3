// SPDX-License-Identifier: Apache-2.0
#include "symbolize/go_table.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace atys::symbolize {

namespace {

constexpr uint32_t kMagic116 = 0xfffffffa;
constexpr uint32_t kMagic118 = 0xfffffff0;
constexpr uint32_t kMagic120 = 0xfffffff1;
constexpr uint64_t kInlineIndexTable = 2;  // which of a function's tables of values says what is inlined where
constexpr uint64_t kInlineTreeData = 3;    // which of its data has the inlined calls
constexpr uint32_t kNoData = 0xffffffff;
constexpr size_t kLongestText = size_t{64} << 10;
constexpr size_t kMostInlined = 64;
// Of one function: the largest known ones have some ten thousand.
constexpr int kMostSteps = 1 << 18;
constexpr uint64_t kMostUnitFiles = 1 << 24;

template <typename Number>
Number load(std::span<const std::byte> bytes, size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<GoTable::Layout> layout_of(uint32_t magic) {
  switch (magic) {
    case kMagic116: return GoTable::Layout::Go116;
    case kMagic118: return GoTable::Layout::Go118;
    case kMagic120: return GoTable::Layout::Go120;
    default: return {};
  }
}

// Seven bits a byte, the least significant first. False at the end of the bytes.
bool take_varint(std::span<const std::byte>& bytes, uint32_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (bytes.empty()) return false;
    const auto next = static_cast<uint8_t>(bytes.front());
    bytes = bytes.subspan(1);
    if (shift < 32) value |= uint32_t{next & 0x7fu} << shift;
    if ((next & 0x80) == 0) return true;
  }
  return false;
}

}  // namespace

std::optional<GoTable::Header> GoTable::parse_header(std::span<const std::byte> bytes, uint64_t limit) {
  if (bytes.size() < kHeaderBytes) return {};
  const auto layout = layout_of(load<uint32_t>(bytes, 0));
  const auto quantum = load<uint8_t>(bytes, 6);
  const auto pointer_bytes = load<uint8_t>(bytes, 7);
  if (!layout || load<uint16_t>(bytes, 4) != 0 || pointer_bytes != 8) return {};
  if (quantum != 1 && quantum != 2 && quantum != 4) return {};
  Header header{.layout = *layout, .quantum = quantum, .functions = load<uint64_t>(bytes, 8)};
  size_t at = 24;
  if (*layout != Layout::Go116) {
    header.text = load<uint64_t>(bytes, at);
    at += 8;
  }
  for (uint64_t* offset : {&header.names, &header.units, &header.files, &header.values, &header.entries}) {
    *offset = load<uint64_t>(bytes, at);
    if (*offset < 64 || *offset >= limit) return {};
    at += 8;
  }
  const uint64_t entry_bytes = *layout == Layout::Go116 ? 16 : 8;
  if (header.functions == 0 || header.functions >= (limit - header.entries) / entry_bytes) return {};
  return header;
}

std::optional<GoTable> GoTable::parse(Bytes bytes, const GoModuleData& module) {
  const auto header = parse_header(bytes, bytes.size());
  if (!header) return {};
  GoTable table;
  table.bytes_ = std::move(bytes);
  table.header_ = *header;
  table.module_ = module;
  if (table.module_.text == 0) table.module_.text = header->text;
  if (header->layout != Layout::Go116 && table.module_.text == 0) return {};
  return table;
}

template <typename Number>
std::optional<Number> GoTable::number(uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Number)) return {};
  return load<Number>(bytes_, offset);
}

std::string_view GoTable::text(uint64_t offset) const {
  if (offset >= bytes_.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + offset;
  const size_t most = std::min<size_t>(bytes_.size() - offset, kLongestText);
  const size_t length = ::strnlen(begin, most);
  return length == most ? std::string_view{} : std::string_view{begin, length};
}

uint64_t GoTable::entry(uint64_t index) const {
  if (header_.layout == Layout::Go116) return number<uint64_t>(header_.entries + index * 16).value_or(0);
  return word(header_.entries + index * 8);
}

std::optional<GoTable::Function> GoTable::function(uint64_t index) const {
  const bool is_absolute = header_.layout == Layout::Go116;
  const uint64_t at = header_.entries + (is_absolute ? index * 16 + 8 : index * 8 + 4);
  const uint64_t offset = is_absolute ? number<uint64_t>(at).value_or(0) : word(at);
  if (offset >= bytes_.size()) return {};
  auto found = read_function(header_.entries + offset);
  if (!found) return {};
  const uint64_t base = is_absolute ? 0 : module_.text;
  found->entry = base + entry(index);
  found->end = base + entry(index + 1);
  return found;
}

// Entries are sorted; after the last comes the end of the code.
std::optional<GoTable::Function> GoTable::find(uint64_t address) const {
  const uint64_t base = header_.layout == Layout::Go116 ? 0 : module_.text;
  if (address < base) return {};
  const uint64_t wanted = address - base;
  uint64_t low = 0;
  uint64_t high = header_.functions;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (entry(middle) <= wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0 || wanted >= entry(low)) return {};
  return function(low - 1);
}

// A record: its entry (8 bytes before Go 1.18, then 4), words, one of them the first line since Go 1.20, four small numbers.
std::optional<GoTable::Function> GoTable::read_function(uint64_t offset) const {
  const uint64_t words = offset + (header_.layout == Layout::Go116 ? 8 : 4);
  const bool has_start_line = header_.layout == Layout::Go120;
  const uint64_t tail = words + (has_start_line ? 36 : 32);
  if (!number<uint32_t>(tail)) return {};
  Function function{.at = offset, .variable = tail + 4};
  function.name = word(words);
  function.frame_values = word(words + 12);
  function.file_values = word(words + 16);
  function.line_values = word(words + 20);
  function.value_tables = word(words + 24);
  function.unit = word(words + 28);
  if (has_start_line) function.start_line = std::max<int32_t>(static_cast<int32_t>(word(words + 32)), 0);
  function.data_count = number<uint8_t>(tail + 3).value_or(0);
  return function;
}

// A table of values is a run of pairs: by how much the value changes (alternating in sign: 1 is -1, 2 is 1, 3 is -2), and
// for how many instructions the new one holds. It begins with -1 and ends with a change of 0.
template <typename Visit>
void GoTable::for_each_value(const Function& function, uint64_t table, Visit visit) const {
  if (table == 0 || table >= bytes_.size() || header_.values + table >= bytes_.size()) return;
  std::span<const std::byte> rest = std::span(bytes_).subspan(header_.values + table);
  uint64_t pc = function.entry;
  uint32_t value = static_cast<uint32_t>(-1);
  for (int step = 0; step < kMostSteps; ++step) {
    uint32_t change = 0;
    uint32_t length = 0;
    if (!take_varint(rest, change) || (change == 0 && step > 0) || !take_varint(rest, length)) return;
    value += (change & 1) != 0 ? ~(change >> 1) : change >> 1;
    pc += length * header_.quantum;
    if (!visit(pc, static_cast<int32_t>(value))) return;
  }
}

std::optional<int32_t> GoTable::value_at(const Function& function, uint64_t table, uint64_t address) const {
  std::optional<int32_t> found;
  for_each_value(function, table, [&](uint64_t end, int32_t value) {
    if (address < end) found = value;
    return address >= end;
  });
  return found;
}

// A table from outside may say the same of all its functions: its own size bounds what is told of all of them together.
void GoTable::for_each_frame(const VisitFrames& visit) const {
  std::vector<FrameRange> ranges;
  size_t left = bytes_.size();
  for (uint64_t i = 0; i < header_.functions && left > 0; ++i) {
    const auto found = function(i);
    if (!found || found->end <= found->entry) continue;
    ranges.clear();
    uint64_t begin = found->entry;
    for_each_value(*found, found->frame_values, [&](uint64_t end, int32_t bytes) {
      end = std::min(end, found->end);
      if (end > begin) ranges.push_back({begin, end, bytes});
      begin = std::max(begin, end);
      return begin < found->end && --left > 0;
    });
    visit(text(header_.names + found->name), ranges);
  }
}

int32_t GoTable::inline_index(const Function& function, uint64_t address) const {
  if (function.value_tables <= kInlineIndexTable) return -1;
  return value_at(function, word(function.variable + kInlineIndexTable * 4), address).value_or(-1);
}

std::optional<uint64_t> GoTable::inline_tree(const Function& function) const {
  if (function.data_count <= kInlineTreeData || function.value_tables > bytes_.size()) return {};
  const uint64_t data = function.variable + function.value_tables * 4;
  if (header_.layout == Layout::Go116) {
    const uint64_t aligned = (data + 7) / 8 * 8;  // the table itself is aligned
    const uint64_t address = number<uint64_t>(aligned + kInlineTreeData * 8).value_or(0);
    return address != 0 ? std::optional(address) : std::nullopt;
  }
  const auto offset = number<uint32_t>(data + kInlineTreeData * 4);
  if (module_.funcdata == 0 || !offset || *offset == kNoData) return {};
  return module_.funcdata + *offset;
}

std::optional<GoTable::InlinedCall> GoTable::inlined_call(const Function& function, int32_t index,
                                                          const ReadMemory& read) const {
  const auto tree = inline_tree(function);
  if (!tree || index < 0) return {};
  const bool is_new = header_.layout == Layout::Go120;
  std::array<std::byte, 20> bytes{};
  const std::span<std::byte> record = std::span(bytes).first(is_new ? 16 : 20);
  if (!read(*tree + static_cast<uint64_t>(index) * record.size(), record)) return {};
  InlinedCall call;
  call.name = load<uint32_t>(record, is_new ? 4 : 12);
  call.parent_pc = load<uint32_t>(record, is_new ? 8 : 16);
  if (is_new) call.start_line = std::max(load<int32_t>(record, 12), 0);
  if (call.parent_pc >= function.end - function.entry || text(header_.names + call.name).empty()) return {};
  return call;
}

GoFrame GoTable::placed(const Function& function, uint64_t address) const {
  GoFrame frame;
  const auto file = value_at(function, function.file_values, address);
  if (file && *file >= 0 && static_cast<uint64_t>(*file) < kMostUnitFiles) {
    const auto offset = number<uint32_t>(header_.units + (function.unit + static_cast<uint64_t>(*file)) * 4);
    if (offset && *offset != kNoData) frame.file = text(header_.files + *offset);
  }
  frame.line = std::max(value_at(function, function.line_values, address).value_or(0), 0);
  return frame;
}

std::vector<GoFrame> GoTable::frames_at(uint64_t address, const ReadMemory& read) const {
  const auto function = find(address);
  if (!function) return {};
  std::vector<GoFrame> frames;
  bool is_line_ours = true;
  while (frames.size() < kMostInlined) {
    const int32_t index = inline_index(*function, address);
    if (index < 0) break;
    const auto call = inlined_call(*function, index, read);
    is_line_ours = call.has_value();
    if (!call) break;
    frames.push_back(placed(*function, address));
    frames.back().function = text(header_.names + call->name);
    frames.back().start_line = call->start_line;
    address = function->entry + call->parent_pc;
  }
  GoFrame outermost = placed(*function, is_line_ours ? address : function->entry);
  outermost.function = text(header_.names + function->name);
  outermost.start_line = function->start_line;
  if (!is_line_ours) outermost.line = 0;
  if (outermost.function.empty()) return {};
  frames.push_back(outermost);
  return frames;
}

}  // namespace atys::symbolize
