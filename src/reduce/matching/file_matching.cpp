// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/file_matching.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "reduce/matching/code_path.h"
#include "reduce/matching/renamed_files.h"

namespace atys::reduce::matching {

namespace {

struct File {
  const CodeFile* of = nullptr;
  CodePath path;
  std::vector<uint64_t> whole;  // hashes of the last 1, 2, … parts
  std::vector<uint64_t> stems;  // … without versions
  bool is_matched = false;
};

using Files = std::vector<File>;
using Members = std::vector<uint32_t>;

Files parsed(std::span<const CodeFile> files) {
  Files result;
  for (const CodeFile& file : files) {
    File& made = result.emplace_back();
    made.of = &file;
    made.path = parse_code_path(file.path);
    made.whole = suffix_hashes(made.path.parts);
    made.stems = suffix_hashes(made.path.stems);
  }
  return result;
}

// Files of both sides that may be the same.
struct Bucket {
  Members base;
  Members fresh;
};

struct Pair {
  uint32_t base = 0;
  uint32_t fresh = 0;
  size_t common = 0;  // parts at their ends that are the same
};

size_t common_parts(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  return static_cast<size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

// Whether two files whose last `common` parts are the same, versions aside, can be the same file as far as packages go.
bool may_be_same(const File& a, const File& b, size_t common) {
  if (a.path.package.empty() && b.path.package.empty()) return true;
  if (!a.path.package.empty() && !b.path.package.empty())
    return a.path.package == b.path.package && common >= std::min(a.path.in_package, b.path.in_package);
  return common >= std::max(a.path.in_package, b.path.in_package);
}

class Matcher {
 public:
  Matcher(std::span<const CodeFile> base, std::span<const CodeFile> fresh) : base_(parsed(base)), fresh_(parsed(fresh)) {}

  std::vector<FileMatch> run() {
    match_same_paths();
    match_packages();
    match_ends();
    drop_strays();
    for (const Pair& pair : pairs_) add(pair);
    match_renamed();
    std::ranges::sort(result_, {}, &FileMatch::base);
    return std::move(result_);
  }

 private:
  void match_same_paths() {
    std::map<std::string_view, uint32_t> known;
    for (uint32_t i = 0; i < fresh_.size(); ++i) known.emplace(fresh_[i].of->path, i);
    for (uint32_t i = 0; i < base_.size(); ++i) {
      const auto found = known.find(base_[i].of->path);
      if (found == known.end()) continue;
      base_[i].is_matched = fresh_[found->second].is_matched = true;
      result_.push_back({i, found->second, FileMatchedBy::Path, {}, {}});
    }
  }

  void match_packages() {
    std::map<std::string, Bucket> buckets;
    const auto put = [&](const Files& files, Members Bucket::*side) {
      for (uint32_t i = 0; i < files.size(); ++i) {
        const File& file = files[i];
        if (file.is_matched || file.path.package.empty()) continue;
        std::string key = file.path.package;
        for (size_t j = file.path.stems.size() - file.path.in_package; j < file.path.stems.size(); ++j)
          key.append("/").append(file.path.stems[j]);
        (buckets[key].*side).push_back(i);
      }
    };
    put(base_, &Bucket::base);
    put(fresh_, &Bucket::fresh);
    for (auto& [key, bucket] : buckets) {
      match_in(bucket);
      match_in_order(bucket);
    }
  }

  void match_ends() {
    std::map<std::string_view, Bucket> buckets;
    const auto put = [&](const Files& files, Members Bucket::*side) {
      for (uint32_t i = 0; i < files.size(); ++i)
        if (!files[i].is_matched && !files[i].path.is_empty()) (buckets[files[i].path.stems.back()].*side).push_back(i);
    };
    put(base_, &Bucket::base);
    put(fresh_, &Bucket::fresh);
    for (auto& [key, bucket] : buckets) match_in(bucket);
  }

  // The longest ends first; of the same length, whole ones before those without versions.
  void match_in(const Bucket& bucket) {
    if (bucket.base.empty() || bucket.fresh.empty()) return;
    for (size_t length = kMostParts; length > 0; --length) {
      match_ends_of(bucket, length, &File::whole);
      match_ends_of(bucket, length, &File::stems);
    }
  }

  struct Seen {
    uint32_t base = 0, fresh = 0;
    uint32_t base_count = 0, fresh_count = 0;
  };

  void match_ends_of(const Bucket& bucket, size_t length, std::vector<uint64_t> File::*hashes) {
    std::unordered_map<uint64_t, Seen> seen;
    for (const uint32_t i : bucket.base) {
      if (base_[i].is_matched || (base_[i].*hashes).size() < length) continue;
      Seen& of = seen[(base_[i].*hashes)[length - 1]];
      of.base = i;
      ++of.base_count;
    }
    if (seen.empty()) return;
    for (const uint32_t i : bucket.fresh) {
      if (fresh_[i].is_matched || (fresh_[i].*hashes).size() < length) continue;
      const auto found = seen.find((fresh_[i].*hashes)[length - 1]);
      if (found == seen.end()) continue;
      found->second.fresh = i;
      ++found->second.fresh_count;
    }
    for (const auto& [hash, of] : seen)
      if (of.base_count == 1 && of.fresh_count == 1) take(of.base, of.fresh);
  }

  // Several versions of one package in one program: as many on each side, so in the order of their versions.
  void match_in_order(const Bucket& bucket) {
    const auto left = [](const Members& members, const Files& files) {
      Members unmatched;
      for (const uint32_t i : members)
        if (!files[i].is_matched) unmatched.push_back(i);
      std::ranges::sort(unmatched, [&](uint32_t a, uint32_t b) { return is_before(files[a].of->path, files[b].of->path); });
      return unmatched;
    };
    const Members base = left(bucket.base, base_);
    const Members fresh = left(bucket.fresh, fresh_);
    if (base.size() != fresh.size()) return;
    for (size_t i = 0; i < base.size(); ++i) take(base[i], fresh[i]);
  }

  // "a-1.9" before "a-1.10".
  static bool is_before(std::string_view a, std::string_view b) {
    const auto is_number = [](char c) { return c >= '0' && c <= '9'; };
    while (!a.empty() && !b.empty()) {
      const size_t a_end = std::min(a.find_first_not_of("0123456789"), a.size());
      const size_t b_end = std::min(b.find_first_not_of("0123456789"), b.size());
      if (is_number(a[0]) && is_number(b[0]) && a_end != b_end) return a_end < b_end;
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    return a.size() < b.size();
  }

  void take(uint32_t base, uint32_t fresh) {
    const CodePath& a = base_[base].path;
    const CodePath& b = fresh_[fresh].path;
    if (!may_be_same(base_[base], fresh_[fresh], common_parts(a.stems, b.stems))) return;
    base_[base].is_matched = fresh_[fresh].is_matched = true;
    pairs_.push_back({base, fresh, common_parts(a.parts, b.parts)});
  }

  std::string folder(const File& file, size_t common) const {
    return path_of_parts(file.path, 0, file.path.parts.size() - common);
  }

  // Where most files of a folder went, and how many.
  struct Moved {
    std::string to;
    size_t files = 0;
  };
  using Moves = std::map<std::string, Moved>;

  // Of each folder that a pair says moved: the place that most say.
  Moves moves(bool is_back) const {
    std::map<std::pair<std::string, std::string>, size_t> votes;
    for (const Pair& pair : pairs_) {
      std::string from = folder(base_[pair.base], pair.common);
      std::string to = folder(fresh_[pair.fresh], pair.common);
      if (is_back) std::swap(from, to);
      ++votes[{std::move(from), std::move(to)}];
    }
    Moves best;
    for (const auto& [move, files] : votes) {
      Moved& of = best[move.first];
      if (files > of.files) of = {move.second, files};
    }
    return best;
  }

  // Whether the folders above the file moved elsewhere, as at least two and twice as many files say as agree with the pair.
  static bool is_stray(const CodePath& from, const std::string& from_folder, const std::string& to_folder,
                       const Moves& moves) {
    const auto own = moves.find(from_folder);
    const size_t agree = own != moves.end() && own->second.to == to_folder ? own->second.files : 1;
    for (size_t parts = 1; parts < from.parts.size(); ++parts) {
      const auto above = moves.find(path_of_parts(from, 0, parts));
      if (above == moves.end() || (above->first == from_folder && above->second.to == to_folder)) continue;
      if (above->second.files >= std::max<size_t>(2, 2 * agree)) return true;
    }
    return false;
  }

  void drop_strays() {
    const Moves there = moves(false);
    const Moves back = moves(true);
    std::erase_if(pairs_, [&](const Pair& pair) {
      File& base = base_[pair.base];
      File& fresh = fresh_[pair.fresh];
      const std::string from = folder(base, pair.common);
      const std::string to = folder(fresh, pair.common);
      const bool is_placed = !base.path.package.empty() || !fresh.path.package.empty();
      if (is_placed || (!is_stray(base.path, from, to, there) && !is_stray(fresh.path, to, from, back))) return false;
      if (share_half(base.of->functions, fresh.of->functions)) return false;
      base.is_matched = fresh.is_matched = false;
      return true;
    });
  }

  void add(const Pair& pair) {
    const File& base = base_[pair.base];
    const File& fresh = fresh_[pair.fresh];
    result_.push_back({pair.base, pair.fresh, FileMatchedBy::Folder, folder(base, pair.common), folder(fresh, pair.common)});
  }

  void match_renamed() {
    const auto left = [](const Files& files) {
      std::vector<LeftFile> result;
      for (uint32_t i = 0; i < files.size(); ++i)
        if (!files[i].is_matched && !files[i].path.is_empty()) result.push_back({i, files[i].of, &files[i].path});
      return result;
    };
    for (const auto& [base, fresh] : renamed_files(left(base_), left(fresh_)))
      result_.push_back({base, fresh, FileMatchedBy::Rename, {}, {}});
  }

  Files base_;
  Files fresh_;
  std::vector<Pair> pairs_;
  std::vector<FileMatch> result_;
};

}  // namespace

std::vector<FileMatch> match_files(std::span<const CodeFile> base, std::span<const CodeFile> fresh) {
  return Matcher(base, fresh).run();
}

}  // namespace atys::reduce::matching
