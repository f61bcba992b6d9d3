// SPDX-License-Identifier: Apache-2.0
// Stacks are compared and summed as lists of small integers, one per distinct name; text appears only in the last step.
#include "format/collapsed/collapsed_writer.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "format/collapsed/name_table.h"

namespace atys::format::collapsed {

using namespace profile;

namespace {

constexpr size_t kFlushBytes = size_t{1} << 20;
constexpr std::string_view kEmptyStackName = "[unknown]";

enum class PathId : uint32_t {};  // a stack as names, root first

class Folder {
 public:
  Folder(const Profile& profile, size_t column) : profile_(&profile), column_(column), names_(profile), sums_(1) {}

  Result<> write(ByteSink& sink) {
    std::vector<PathId> by_stack(profile_->stacks.size());
    for (size_t row = 0; row < profile_->samples.size(); ++row) {
      PathId& path = by_stack[raw(profile_->samples.stack(row))];
      if (path == PathId{0}) path = path_of(profile_->samples.stack(row));
      sums_[raw(path)] += static_cast<uint64_t>(profile_->samples.value(row, column_));
    }
    return write_lines(sorted_paths(), sink);
  }

 private:
  PathId path_of(StackId stack) {
    const auto frames = profile_->stacks[stack];
    scratch_.clear();
    for (size_t i = frames.size(); i-- > 0;) {
      const auto names = names_.names_of(frames[i]);
      scratch_.insert(scratch_.end(), names.begin(), names.end());
    }
    if (scratch_.empty()) scratch_.push_back(names_.intern(kEmptyStackName));
    const PathId path = paths_.intern(scratch_);
    sums_.resize(paths_.size());
    return path;
  }

  std::vector<PathId> sorted_paths() const {
    std::vector<PathId> sorted;
    for (uint32_t i = 1; i < paths_.size(); ++i) {
      if (sums_[i] != 0) sorted.push_back(PathId{i});
    }
    const std::vector<uint32_t> ranks = names_.ranks();
    std::ranges::sort(sorted, [&](PathId a, PathId b) { return precedes(paths_[a], paths_[b], ranks); });
    return sorted;
  }

  // The byte order of the joined names. Names inside a path are followed by ';', and `ranks` is made for those.
  bool precedes(std::span<const NameId> a, std::span<const NameId> b, const std::vector<uint32_t>& ranks) const {
    const auto [left, right] = std::ranges::mismatch(a, b);
    if (left == a.end() || right == b.end()) return left == a.end() && right != b.end();
    if (left + 1 != a.end() && right + 1 != b.end()) return ranks[*left] < ranks[*right];
    std::string left_text(names_.text(*left));
    std::string right_text(names_.text(*right));
    if (left + 1 != a.end()) left_text += ';';
    if (right + 1 != b.end()) right_text += ';';
    return left_text < right_text;
  }

  Result<> write_lines(const std::vector<PathId>& sorted, ByteSink& sink) const {
    std::string text;
    text.reserve(kFlushBytes * 2);
    for (const PathId path : sorted) {
      for (const NameId name : paths_[path]) text.append(names_.text(name)).push_back(';');
      text.back() = ' ';
      char digits[24];
      const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<int64_t>(sums_[raw(path)])).ptr;
      text.append(digits, end).push_back('\n');
      if (text.size() >= kFlushBytes) {
        TRY(sink.write(text));
        text.clear();
      }
    }
    if (sorted.empty()) text.push_back('\n');  // a file without a byte would not be recognised as anything
    return sink.write(text);
  }

  const Profile* profile_;
  size_t column_;
  NameTable names_;
  ListTable<NameId, PathId> paths_;
  std::vector<uint64_t> sums_;  // by path; modular
  std::vector<NameId> scratch_;
};

}  // namespace

Result<> write_collapsed(const Profile& profile, size_t value_column, ByteSink& sink) {
  if (profile.value_types().empty()) return sink.write("\n");
  if (value_column >= profile.value_types().size()) {
    return fail(ErrorCode::InvalidInput, "cannot write value column " + std::to_string(value_column) + ": the profile has " +
                                             std::to_string(profile.value_types().size()));
  }
  return Folder(profile, value_column).write(sink);
}

}  // namespace atys::format::collapsed
