// SPDX-License-Identifier: Apache-2.0
#include "linux/proc_maps.h"

#include <sys/sysmacros.h>

#include <charconv>
#include <optional>

#include "linux/proc_file.h"
#include "linux/proc_folder.h"

namespace atys::linux {

namespace {

constexpr std::string_view kDeleted = " (deleted)";

// Takes the number at the start of `text`, then the character `after` where one is named.
bool take_number(std::string_view& text, int base, char after, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.empty()) return after == '\0';
  if (after != '\0' && text.front() != after) return false;
  if (after != '\0') text.remove_prefix(1);
  return true;
}

// "7f0c6d3b8000-7f0c6d3ba000 r-xp 00026000 fe:01 1234    /usr/lib/x.so (deleted)"
std::optional<MappedRange> parse_line(std::string_view line) {
  MappedRange range;
  uint64_t major_number = 0;
  uint64_t minor_number = 0;
  if (!take_number(line, 16, '-', range.start) || !take_number(line, 16, ' ', range.end)) return {};
  if (line.size() < 5 || line[4] != ' ' || range.end <= range.start) return {};
  range.is_executable = line[2] == 'x';
  line.remove_prefix(5);
  if (!take_number(line, 16, ' ', range.file_offset) || !take_number(line, 16, ':', major_number) ||
      !take_number(line, 16, ' ', minor_number) || !take_number(line, 10, '\0', range.file.inode))
    return {};
  range.file.device = makedev(static_cast<unsigned>(major_number), static_cast<unsigned>(minor_number));
  const size_t name = line.find_first_not_of(' ');
  if (name == std::string_view::npos) return range;
  line.remove_prefix(name);
  if (line.ends_with(kDeleted)) {
    range.is_deleted = true;
    line.remove_suffix(kDeleted.size());
  }
  range.path = line;
  return range;
}

}  // namespace

std::vector<MappedRange> parse_maps(std::string_view text) {
  std::vector<MappedRange> ranges;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (auto range = parse_line(text.substr(0, end))) ranges.push_back(std::move(*range));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return ranges;
}

Result<std::vector<MappedRange>> read_maps(pid_t pid) {
  return parse_maps(TRY(read_proc_file(proc_folder() + "/" + std::to_string(pid) + "/maps")));
}

}  // namespace atys::linux
