// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf_unit.h"

#include <dwarf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "symbolize/demangle.h"

namespace atys::symbolize {

namespace {

constexpr uint32_t kDeepest = 200;
constexpr size_t kMostNodes = size_t{8} << 20;
constexpr size_t kMostRanges = size_t{16} << 20;
constexpr size_t kLongestName = size_t{16} << 10;
constexpr int kMostRangesOfOne = 1 << 16;

uint32_t number_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, attribute, &found) == nullptr || dwarf_formudata(&found, &value) != 0) return 0;
  return value <= 0xffffffff ? static_cast<uint32_t>(value) : 0;
}

std::string text_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(die, attribute, &found) == nullptr) return {};
  const char* text = dwarf_formstring(&found);
  return text != nullptr ? std::string(text, ::strnlen(text, kLongestName)) : std::string();
}

bool is_scope(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: return true;  // Rust has methods of enumerations
    default: return false;
  }
}

bool is_block(int tag) {
  switch (tag) {
    case DW_TAG_variant_part:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt: return true;
    default: return false;
  }
}

// The declaration that a definition or an inlined copy goes back to.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int i = 0; i < 16; ++i) {
    Dwarf_Attribute found;
    Dwarf_Die origin;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &found) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &found) == nullptr)
      break;
    if (dwarf_formref_die(&found, &origin) == nullptr) break;
    die = origin;
  }
  return die;
}

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

void DwarfUnit::collect(Dwarf_Die* parent_die, uint32_t parent, uint32_t scope, uint32_t depth) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent_die, &die) != 0) return;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_inlined_subroutine) {
      const uint32_t node = add_node(&die, parent, depth, true);
      // A call that no code is left of may still hold one that has some.
      collect(&die, node != kNone ? node : parent, kNone, depth + 1);
    } else if (tag == DW_TAG_subprogram) {
      if (scope != kNone && scope_of_.size() < kMostNodes) scope_of_.emplace_back(dwarf_dieoffset(&die), scope);
      if (dwarf_haschildren(&die) != 0 || dwarf_hasattr(&die, DW_AT_low_pc) != 0 || dwarf_hasattr(&die, DW_AT_ranges) != 0)
        collect(&die, add_node(&die, kNone, depth, false), kNone, depth + 1);
    } else if (is_scope(tag)) {
      if (dwarf_haschildren(&die) == 0 || scopes_.size() >= kMostNodes) continue;
      scopes_.push_back({dwarf_dieoffset(&die), scope});
      const auto scope_count = scopes_.size();
      const auto function_count = scope_of_.size();
      collect(&die, parent, static_cast<uint32_t>(scope_count - 1), depth + 1);
      // Most types hold no functions.
      if (scope_of_.size() == function_count) scopes_.resize(scope_count - 1);
    } else if (is_block(tag)) {
      collect(&die, parent, scope, depth + 1);
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
  collect(&code_, kNone, kNone, 0);
  nodes_.shrink_to_fit();
  scopes_.shrink_to_fit();
  scope_of_.shrink_to_fit();
  std::sort(scope_of_.begin(), scope_of_.end());
  flatten();
}

uint32_t DwarfUnit::innermost(uint64_t address) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](uint64_t wanted, const Segment& segment) { return wanted < segment.start; });
  return after == segments_.begin() ? kNone : std::prev(after)->node;
}

const DwarfUnit::Function& DwarfUnit::function_of(const Node& node) {
  const auto [found, is_new] = functions_.try_emplace(node.die);
  if (!is_new) return found->second;
  Dwarf_Die die;
  if (dwarf_offdie(dwarf_cu_getdwarf(code_.cu), node.die, &die) == nullptr) return found->second;
  Function& function = found->second;
  function.linkage_name = text_of(&die, DW_AT_linkage_name);
  if (function.linkage_name.empty()) function.linkage_name = text_of(&die, DW_AT_MIPS_linkage_name);
  function.name = text_of(&die, DW_AT_name);
  function.function =
      function.linkage_name.empty() ? qualified(declaration_of(die), function.name) : demangle(function.linkage_name);
  int line = 0;
  if (dwarf_decl_line(&die, &line) == 0) function.start_line = line;
  return function;
}

std::string DwarfUnit::qualified(Dwarf_Die die, const std::string& name) {
  const Dwarf_Off offset = dwarf_dieoffset(&die);
  const auto found = std::lower_bound(scope_of_.begin(), scope_of_.end(), std::pair<Dwarf_Off, uint32_t>(offset, 0));
  if (die.cu != code_.cu || found == scope_of_.end() || found->first != offset) return name;
  std::string text = name;
  for (uint32_t at = found->second; at != kNone && text.size() < kLongestName; at = scopes_[at].parent) {
    Dwarf_Die scope;
    if (dwarf_offdie(dwarf_cu_getdwarf(code_.cu), scopes_[at].die, &scope) == nullptr) break;
    const std::string scope_name = text_of(&scope, DW_AT_name);
    text = (!scope_name.empty() ? scope_name : "(anonymous namespace)") + "::" + text;
  }
  return text;
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

void DwarfUnit::add_frames(uint64_t address, std::vector<DwarfFrame>& frames) {
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
    const Function& function = function_of(found);
    frame.linkage_name = function.linkage_name;
    frame.name = function.name;
    frame.function = function.function;
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
  return nodes_.capacity() * sizeof(Node) + scopes_.capacity() * sizeof(Scope) + scope_of_.capacity() * 16 +
         segments_.capacity() * sizeof(Segment) + (functions_.size() + paths_.size()) * 200;
}

}  // namespace atys::symbolize
