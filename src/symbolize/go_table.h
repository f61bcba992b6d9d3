// SPDX-License-Identifier: Apache-2.0
// The table by which the Go runtime prints its own stack traces (.gopclntab): functions, files, lines and inlined calls, in
// every Go program, stripped or not. Layouts of Go 1.16 to 1.26; 64 bits, least significant byte first. Everything in it is
// hostile until checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace atys::symbolize {

// Texts live as long as the table that they are from.
struct GoFrame {
  std::string_view function;
  std::string_view file;  // may be empty
  int64_t line = 0;       // 0: not known
  int64_t start_line = 0;
};

// Fills `into` from the program's own address space; false: there is nothing.
using ReadMemory = std::function<bool(uint64_t address, std::span<std::byte> into)>;

// What else the linker has to tell, from the runtime's moduledata.
struct GoModuleData {
  uint64_t text = 0;      // what entries of functions are relative to, from Go 1.18 on
  uint64_t funcdata = 0;  // what offsets of inline trees are relative to, from Go 1.18 on; 0: not known
};

class GoTable {
 public:
  enum class Layout : uint8_t { Go116, Go118, Go120 };  // named by the release that began with it

  struct Header {
    Layout layout{};
    uint64_t quantum = 0;  // length of the shortest instruction
    uint64_t functions = 0;
    uint64_t text = 0;   // 0: not said
    uint64_t names = 0;  // this and the others: offsets from the header
    uint64_t units = 0;
    uint64_t files = 0;
    uint64_t values = 0;
    uint64_t entries = 0;
  };
  static constexpr size_t kHeaderBytes = 72;
  // Whether a table may begin so. `limit`: how long it could be at most.
  static std::optional<Header> parse_header(std::span<const std::byte> bytes, uint64_t limit);

  // Bytes from the header on; more than the table may follow.
  static std::optional<GoTable> parse(Bytes bytes, const GoModuleData& module);

  // Innermost first; empty: not code of Go. Where `read` has nothing, inlined calls are not seen: then only the function is
  // named, for the line is not of it.
  std::vector<GoFrame> frames_at(uint64_t address, const ReadMemory& read) const;

  // Calls visit(name, ranges) for each function, in the order of the table; ranges are ascending and without gaps.
  struct FrameRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    int32_t bytes = 0;  // that the stack has grown by since the entry of the function
  };
  using VisitFrames = std::function<void(std::string_view name, std::span<const FrameRange> ranges)>;
  void for_each_frame(const VisitFrames& visit) const;

  size_t size() const { return header_.functions; }
  size_t memory_bytes() const { return bytes_.capacity(); }

 private:
  struct Function {
    uint64_t entry = 0;
    uint64_t end = 0;
    uint64_t at = 0;        // of its record, in the table
    uint64_t variable = 0;  // of what follows the record: offsets of values, then of data
    uint64_t name = 0;
    uint64_t frame_values = 0;
    uint64_t file_values = 0;
    uint64_t line_values = 0;
    uint64_t value_tables = 0;
    uint64_t unit = 0;
    int64_t start_line = 0;
    uint64_t data_count = 0;
  };
  struct InlinedCall {
    uint64_t name = 0;
    uint64_t parent_pc = 0;  // of the call, from the entry of the function
    int64_t start_line = 0;
  };

  GoTable() = default;
  template <typename Number>
  std::optional<Number> number(uint64_t offset) const;
  uint32_t word(uint64_t offset) const { return number<uint32_t>(offset).value_or(0); }
  std::string_view text(uint64_t offset) const;
  std::optional<Function> find(uint64_t address) const;
  uint64_t entry(uint64_t index) const;  // of a function, from where entries are counted
  std::optional<Function> function(uint64_t index) const;
  std::optional<Function> read_function(uint64_t offset) const;
  // Calls visit(end of the range, value) until it says false.
  template <typename Visit>
  void for_each_value(const Function& function, uint64_t table, Visit visit) const;
  std::optional<int32_t> value_at(const Function& function, uint64_t table, uint64_t address) const;
  std::optional<uint64_t> inline_tree(const Function& function) const;
  std::optional<InlinedCall> inlined_call(const Function& function, int32_t index, const ReadMemory& read) const;
  int32_t inline_index(const Function& function, uint64_t address) const;  // negative: nothing is inlined there
  GoFrame placed(const Function& function, uint64_t address) const;        // without a name

  Bytes bytes_;
  Header header_;
  GoModuleData module_;
};

}  // namespace atys::symbolize
