// SPDX-License-Identifier: Apache-2.0
#include "unwind/go_frames.h"

#include <algorithm>
#include <array>
#include <limits>

namespace atys::unwind {

namespace {

// Functions of the runtime that are the first on their stack. The last three change to the stack of the thread: what called
// them is on another one, of which there is no copy.
constexpr std::array<std::string_view, 6> kRoots = {"runtime.goexit", "runtime.mstart",      "runtime.rt0_go",
                                                    "runtime.mcall",  "runtime.systemstack", "runtime.asmcgocall"};
constexpr std::string_view kAssembly = ".abi0";  // how newer linkers end the names of functions written in assembly

// x86_64: the call has pushed the return address, and a function with a frame keeps its caller's frame pointer below it.
Rule rule_on_x86_64(int32_t bytes) {
  Rule rule{.cfa = Rule::Cfa::SpPlus, .cfa_offset = bytes + 8, .ra_offset = -8};
  if (bytes >= 8) {
    rule.fp = Rule::Fp::AtCfaPlus;
    rule.fp_offset = -16;
  }
  return rule;
}

// aarch64: the return address is in lr until there is a frame, then at its lower end.
Rule rule_on_aarch64(int32_t bytes) {
  if (bytes == 0) return {.cfa = Rule::Cfa::SpPlus, .ra = Rule::Ra::InLr};
  return {.cfa = Rule::Cfa::SpPlus, .cfa_offset = bytes, .ra_offset = -bytes};
}

Rule rule_of(int32_t bytes, Machine machine) {
  if (bytes < 0 || bytes > std::numeric_limits<int32_t>::max() - 8) return {};
  return machine == Machine::X86_64 ? rule_on_x86_64(bytes) : rule_on_aarch64(bytes);
}

}  // namespace

bool is_go_root(std::string_view function) {
  if (function.ends_with(kAssembly)) function.remove_suffix(kAssembly.size());
  return std::find(kRoots.begin(), kRoots.end(), function) != kRoots.end();
}

std::vector<Row> go_rows(const symbolize::GoTable& table, Machine machine) {
  std::vector<Row> rows;
  uint64_t covered = 0;
  table.for_each_frame([&](std::string_view name, std::span<const symbolize::GoTable::FrameRange> ranges) {
    if (ranges.empty() || ranges.front().begin < covered) return;
    if (!rows.empty() && ranges.front().begin == covered) rows.pop_back();
    const bool is_root = is_go_root(name);
    for (const auto& range : ranges)
      rows.push_back({range.begin, is_root ? Rule{.cfa = Rule::Cfa::Root} : rule_of(range.bytes, machine)});
    covered = ranges.back().end;
    rows.push_back({covered, {}});
  });
  return rows;
}

}  // namespace atys::unwind
