// SPDX-License-Identifier: Apache-2.0
// One compilation unit: its functions and inlined calls, flattened into a sorted list of address ranges on first use.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolize/dwarf_names.h"

namespace atys::symbolize {

struct DwarfFrame {
  std::string linkage_name;  // mangled; empty where the language or the compiler gives none
  std::string name;          // as written in the source, without its scopes
  std::string function;      // for people: the linkage name demangled, or as DwarfNames makes it
  bool is_whole = false;     // no symbol says more than `function`
  std::string file;
  int64_t line = 0;
  int64_t start_line = 0;  // where the function is declared
};

class DwarfUnit {
 public:
  explicit DwarfUnit(const Dwarf_Die& unit_die) : unit_(unit_die) {}

  // Innermost first; appended.
  void add_frames(uint64_t address, DwarfNames& names, std::vector<DwarfFrame>& frames);
  // add_frames() says the same of every address from this one up to the one returned.
  uint64_t same_until(uint64_t address);
  uint64_t memory_bytes() const;

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  // A function or an inlined call. Its caller is the node `parent`.
  struct Node {
    Dwarf_Off die = 0;
    uint32_t parent = kNone;
    uint32_t call_file = 0;
    uint32_t call_line = 0;
  };
  struct Range {
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t node = kNone;
    uint32_t depth = 0;
  };
  struct Segment {
    uint64_t start = 0;
    uint32_t node = kNone;  // innermost; kNone: a gap
  };
  struct Function {
    std::string linkage_name;
    std::string name;
    DwarfNames::Name display;
    int64_t start_line = 0;
  };
  void build();
  void collect(Dwarf_Die* parent_die, uint32_t parent, uint32_t depth);
  uint32_t add_node(Dwarf_Die* die, uint32_t parent, uint32_t depth, bool is_inlined);
  void flatten();
  const Function& function_of(const Node& node, DwarfNames& names);
  int first_line(const Dwarf_Die& declaration);
  void find_first_lines();
  std::string file_name(uint32_t index);
  const std::string& cleaned(const char* path);
  uint32_t innermost(uint64_t address) const;

  Dwarf_Die unit_;
  Dwarf_Die code_{};  // the same, or the unit of a .dwo file
  bool is_built_ = false;
  std::vector<Node> nodes_;
  std::vector<Range> ranges_;  // only while building
  std::vector<Segment> segments_;
  std::unordered_map<Dwarf_Off, Function> functions_;
  std::unordered_map<void*, int> first_lines_;  // of functions that are said to be "operator()" and nothing else
  bool has_first_lines_ = false;
  std::unordered_map<const char*, std::string> paths_;  // by libdw's own string
};

}  // namespace atys::symbolize
