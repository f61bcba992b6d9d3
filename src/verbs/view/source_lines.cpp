// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/source_lines.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "language/languages.h"
#include "verbs/profiles/source_access.h"

namespace atys::verbs {

namespace {

constexpr size_t kMostBytes = 4 << 20;
constexpr size_t kMostFiles = 40;
constexpr size_t kMostOfALine = 160;

std::string_view line_of(std::string_view text, int64_t number) {
  for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return text.substr(0, text.find('\n'));
}

std::string trimmed(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  return std::string(line.substr(0, kMostOfALine));
}

class Sources {
 public:
  explicit Sources(const MaySee& may_see) : may_see_(may_see) {}

  // Null: not at hand.
  const PlainFile* find(const std::string& path) {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second ? &*found->second : nullptr;
    if (!language::is_source_name(path) || files_.size() >= kMostFiles) return nullptr;
    const auto is_for_who_asks = [&](const std::string& real_path) {
      return language::is_source_name(real_path) && may_see_(real_path);
    };
    const auto& kept = files_.emplace(path, open_plain_file(path, kMostBytes, is_for_who_asks)).first->second;
    return kept ? &*kept : nullptr;
  }

 private:
  const MaySee& may_see_;
  std::map<std::string, std::optional<PlainFile>> files_;
};

}  // namespace

size_t add_source_lines(std::vector<reduce::LineRow>& rows, int64_t recorded_until_ns) {
  const MaySee may_see = SourceAccess::of_this_thread();
  if (!may_see) return 0;
  Sources sources(may_see);
  size_t changed = 0;
  for (reduce::LineRow& row : rows) {
    if (row.entity.file.empty() || row.entity.line <= 0) continue;
    const PlainFile* file = sources.find(row.entity.file);
    if (file == nullptr) continue;
    if (recorded_until_ns != 0 && file->modified_ns > recorded_until_ns) {
      ++changed;
      continue;
    }
    row.source = trimmed(line_of(file->text, row.entity.line));
  }
  return changed;
}

}  // namespace atys::verbs
