// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf_unit.h"

#include <dwarf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "symbolize/dwarf_die.h"

namespace atys::symbolize {

namespace {

constexpr uint32_t kDeepest = 200;
constexpr size_t kMostNodes = size_t{8} << 20;
constexpr size_t kMostRanges = size_t{16} << 20;
constexpr size_t kLongestName = size_t{16} << 10;
constexpr std::string_view kCall = "operator()";
constexpr int kMostRangesOfOne = 1 << 16;

// Whether the file of a split unit can be opened without harm: libdw would wait for a fifo.
bool is_split_file_regular(Dwarf_Die* unit) {
  Dwarf_Attribute found;
  if (dwarf_attr(unit, DW_AT_dwo_name, &found) == nullptr && dwarf_attr(unit, DW_AT_GNU_dwo_name, &found) == nullptr)
    return false;
  const char* name = dwarf_formstring(&found);
  if (name == nullptr) return false;
  std::filesystem::path path(name);
  if (path.is_relative())
    if (const char* folder = dwarf_attr(unit, DW_AT_comp_dir, &found) != nullptr ? dwarf_formstring(&found) : nullptr)
      path = folder / path;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

// `folder` is where the compiler ran, which paths may be relative to.
std::string clean_path(const char* path, const std::string& folder) {
  std::string text(path, ::strnlen(path, kLongestName));
  const bool is_file = !text.starts_with('<');  // "<artificial>"
  if (is_file && !text.starts_with('/') && folder.starts_with('/')) text.insert(0, folder + "/");
  if (text.find("/.") == std::string::npos && !text.starts_with("./")) return text;
  return std::filesystem::path(text).lexically_normal().string();
}

}  // namespace

uint32_t DwarfUnit::add_node(Dwarf_Die* die, uint32_t parent, uint32_t depth, bool is_inlined) {
  if (nodes_.size() >= kMostNodes) return kNone;
  const auto node = static_cast<uint32_t>(nodes_.size());
  Dwarf_Addr base = 0;
  Dwarf_Addr start = 0;
  Dwarf_Addr end = 0;
  bool has_code = false;
  ptrdiff_t at = 0;
  for (int i = 0; i < kMostRangesOfOne && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0; ++i) {
    // Functions that the linker threw away are left at address 0.
    if (start >= end || start == 0 || ranges_.size() >= kMostRanges) continue;
    ranges_.push_back({start, end, node, depth});
    has_code = true;
  }
  if (!has_code) return kNone;
  Node made{dwarf_dieoffset(die), is_inlined ? parent : kNone, 0, 0};
  if (is_inlined) {
    made.call_file = number_of(die, DW_AT_call_file);
    made.call_line = number_of(die, DW_AT_call_line);
  }
  nodes_.push_back(made);
  return node;
}

void DwarfUnit::collect(Dwarf_Die* parent_die, uint32_t parent, uint32_t depth) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent_die, &die) != 0) return;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_inlined_subroutine) {
      const uint32_t node = add_node(&die, parent, depth, true);
      // A call that no code is left of may still hold one that has some.
      collect(&die, node != kNone ? node : parent, depth + 1);
    } else if (tag == DW_TAG_subprogram) {
      if (dwarf_haschildren(&die) != 0 || dwarf_hasattr(&die, DW_AT_low_pc) != 0 || dwarf_hasattr(&die, DW_AT_ranges) != 0)
        collect(&die, add_node(&die, kNone, depth, false), depth + 1);
    } else if (is_dwarf_scope(tag) || is_dwarf_block(tag)) {
      if (dwarf_haschildren(&die) != 0) collect(&die, parent, depth + 1);
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

// Ranges nest: the innermost that is open at an address is the answer there. Ranges that overlap without nesting are
// wrong; the later one is cut off at the end of the one that it began in.
void DwarfUnit::flatten() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    if (a.start != b.start) return a.start < b.start;
    return a.depth != b.depth ? a.depth < b.depth : a.end > b.end;
  });
  std::vector<Range> open;
  const auto begin_segment = [this](uint64_t start, uint32_t node) {
    if (!segments_.empty() && segments_.back().start == start)
      segments_.back().node = node;
    else if (segments_.empty() || segments_.back().node != node)
      segments_.push_back({start, node});
  };
  const auto close_until = [&](uint64_t address) {
    while (!open.empty() && open.back().end <= address) {
      const uint64_t end = open.back().end;
      open.pop_back();
      begin_segment(end, open.empty() ? kNone : open.back().node);
    }
  };
  for (Range range : ranges_) {
    close_until(range.start);
    if (!open.empty()) range.end = std::min(range.end, open.back().end);
    begin_segment(range.start, range.node);
    open.push_back(range);
  }
  close_until(UINT64_MAX);
  ranges_ = {};
  segments_.shrink_to_fit();
}

void DwarfUnit::build() {
  is_built_ = true;
  code_ = unit_;
  Dwarf_Die split;
  uint8_t type = 0;
  if (dwarf_cu_info(unit_.cu, nullptr, &type, nullptr, nullptr, nullptr, nullptr, nullptr) == 0 && type == DW_UT_skeleton &&
      is_split_file_regular(&unit_) &&
      dwarf_cu_info(unit_.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 && split.addr != nullptr)
    code_ = split;
  collect(&code_, kNone, 0);
  nodes_.shrink_to_fit();
  flatten();
}

uint32_t DwarfUnit::innermost(uint64_t address) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](uint64_t wanted, const Segment& segment) { return wanted < segment.start; });
  return after == segments_.begin() ? kNone : std::prev(after)->node;
}

const DwarfUnit::Function& DwarfUnit::function_of(const Node& node, DwarfNames& names) {
  const auto [found, is_new] = functions_.try_emplace(node.die);
  if (!is_new) return found->second;
  Dwarf_Die die;
  if (dwarf_offdie(dwarf_cu_getdwarf(code_.cu), node.die, &die) == nullptr) return found->second;
  Function& function = found->second;
  function.linkage_name = linkage_name_of(die);
  function.name = text_of(&die, DW_AT_name);
  function.display = names.function(die);
  int line = 0;
  function.start_line = dwarf_decl_line(&die, &line) == 0 ? line : function.display.line;
  if (function.start_line == 0 && function.display.text == kCall) {
    function.start_line = first_line(declaration_of(die));
    if (function.start_line > 0) function.display.text += ":" + std::to_string(function.start_line);
  }
  return function;
}

// With -g1 compilers say neither where a lambda is declared nor in what; all copies of one still go back to one entry.
int DwarfUnit::first_line(const Dwarf_Die& declaration) {
  if (!has_first_lines_) find_first_lines();
  const auto found = first_lines_.find(declaration.addr);
  return found == first_lines_.end() ? 0 : found->second;
}

void DwarfUnit::find_first_lines() {
  has_first_lines_ = true;
  std::vector<void*> declarations(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Dwarf_Die die;
    if (dwarf_offdie(dwarf_cu_getdwarf(code_.cu), nodes_[i].die, &die) == nullptr) continue;
    Dwarf_Die declaration = declaration_of(die);
    if (text_of(&declaration, DW_AT_name) == kCall) declarations[i] = declaration.addr;
  }
  for (const Segment& segment : segments_) {
    void* declaration = segment.node == kNone ? nullptr : declarations[segment.node];
    int number = 0;
    Dwarf_Line* line = declaration == nullptr ? nullptr : dwarf_getsrc_die(&unit_, segment.start);
    if (line == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) continue;
    const auto [known, is_new] = first_lines_.try_emplace(declaration, number);
    known->second = std::min(known->second, number);
  }
}

std::string DwarfUnit::file_name(uint32_t index) {
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&code_, &files, &count) != 0 && dwarf_getsrcfiles(&unit_, &files, &count) != 0) return {};
  const char* name = index < count ? dwarf_filesrc(files, index, nullptr, nullptr) : nullptr;
  return name != nullptr ? cleaned(name) : std::string();
}

const std::string& DwarfUnit::cleaned(const char* path) {
  const auto [found, is_new] = paths_.try_emplace(path);
  if (is_new) found->second = clean_path(path, text_of(&unit_, DW_AT_comp_dir));
  return found->second;
}

void DwarfUnit::add_frames(uint64_t address, DwarfNames& names, std::vector<DwarfFrame>& frames) {
  if (!is_built_) build();
  DwarfFrame frame;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit_, address)) {
    int number = 0;
    if (dwarf_lineno(line, &number) == 0) frame.line = number;
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr)) frame.file = cleaned(file);
  }
  uint32_t node = innermost(address);
  if (node == kNone && !frame.file.empty()) frames.push_back(frame);
  while (node != kNone) {
    const Node& found = nodes_[node];
    const Function& function = function_of(found, names);
    frame.linkage_name = function.linkage_name;
    frame.name = function.name;
    frame.function = function.display.text;
    frame.is_whole = function.display.is_whole;
    frame.start_line = function.start_line;
    frames.push_back(std::move(frame));
    frame = {.file = found.parent != kNone ? file_name(found.call_file) : std::string(), .line = found.call_line};
    node = found.parent;
  }
}

uint64_t DwarfUnit::same_until(uint64_t address) {
  if (!is_built_) build();
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](uint64_t wanted, const Segment& segment) { return wanted < segment.start; });
  const uint64_t end = after == segments_.end() ? UINT64_MAX : after->start;
  Dwarf_Lines* lines = nullptr;
  size_t high = 0;
  if (dwarf_getsrclines(&unit_, &lines, &high) != 0) return end;
  Dwarf_Addr next = UINT64_MAX;
  for (size_t low = 0; low < high;) {
    const size_t middle = low + (high - low) / 2;
    Dwarf_Addr at = 0;
    if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at) != 0) return address + 1;
    if (at > address) {
      next = at;
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::min<uint64_t>(end, next);
}

uint64_t DwarfUnit::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + segments_.capacity() * sizeof(Segment) +
         (functions_.size() + paths_.size()) * 200;
}

}  // namespace atys::symbolize
