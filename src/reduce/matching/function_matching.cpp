// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/function_matching.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "reduce/anonymous.h"
#include "reduce/matching/anonymous_matching.h"
#include "reduce/matching/function_name.h"

namespace atys::reduce::matching {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// A function with what is told of it by its name where nothing else tells it.
struct Known {
  std::string_view name;
  std::string_view file;
  std::string_view module;
  int64_t line = 0;
  uint32_t file_id = 0;
  std::optional<AnonymousName> by_line;  // what tells it apart from others of its name
  bool is_anonymous = false;
  bool is_matched = false;

  std::optional<std::string> plain_name() const { return by_line ? std::nullopt : std::optional<std::string>(name); }
};

// One side, with its files.
struct Side {
  std::vector<Known> functions;
  std::vector<CodeFile> files;
  std::vector<std::vector<uint32_t>> in_file;  // by file
};

Known known(const CodeFunction& function) {
  Known result{.name = function.name, .file = function.file, .module = function.module, .line = function.line};
  if (function.file.empty()) {
    if (const auto placed = place_in_name(function.name)) {
      result.name = placed->name;
      result.file = placed->file;
      if (placed->line > 0)
        result.by_line = AnonymousName{.word = std::string(placed->name), .line = placed->line, .around = {}};
    }
  }
  if (const auto anonymous = parse_anonymous_name(result.name)) {
    result.by_line = anonymous;
    result.is_anonymous = true;
  }
  return result;
}

std::vector<CodeFile> files_of(std::vector<Known>& functions) {
  std::map<std::string_view, uint32_t> ids;
  std::vector<CodeFile> files;
  for (Known& function : functions) {
    const auto [found, is_new] = ids.try_emplace(function.file, static_cast<uint32_t>(files.size()));
    if (is_new) files.push_back({std::string(function.file), {}});
    function.file_id = found->second;
    if (!function.is_anonymous) files[found->second].functions.emplace_back(function.name);
  }
  for (CodeFile& file : files) {
    std::ranges::sort(file.functions);
    file.functions.erase(std::unique(file.functions.begin(), file.functions.end()), file.functions.end());
  }
  return files;
}

Side make_side(std::span<const CodeFunction> functions) {
  Side side;
  for (const CodeFunction& function : functions) side.functions.push_back(known(function));
  side.files = files_of(side.functions);
  side.in_file.resize(side.files.size());
  for (uint32_t i = 0; i < side.functions.size(); ++i) side.in_file[side.functions[i].file_id].push_back(i);
  return side;
}

class Matcher {
 public:
  Matcher(std::span<const CodeFunction> base, std::span<const CodeFunction> fresh,
          const std::map<std::string, std::string>& modules)
      : base_(make_side(base)), fresh_(make_side(fresh)), modules_(modules) {}

  Matching run() {
    result_.files = match_files(base_.files, fresh_.files);
    for (const FileMatch& pair : result_.files) match_in_files(pair);
    match_elsewhere();
    match_without_files();
    std::ranges::sort(result_.functions, {}, &FunctionMatch::base);
    result_.base_files = std::move(base_.files);
    result_.fresh_files = std::move(fresh_.files);
    return std::move(result_);
  }

 private:
  using Key = std::function<std::optional<std::string>(const Known&)>;  // none: not to be matched this way
  using Fits = std::function<bool(const Known&, const Known&)>;

  void match_in_files(const FileMatch& pair) {
    const std::vector<uint32_t>& base = base_.in_file[pair.base];
    const std::vector<uint32_t>& fresh = fresh_.in_file[pair.fresh];
    const MatchedBy by = pair.by == FileMatchedBy::Path     ? MatchedBy::Place
                         : pair.by == FileMatchedBy::Folder ? MatchedBy::Folder
                                                            : MatchedBy::File;
    const size_t first = result_.functions.size();
    match_only(base, fresh, by, [](const Known& of) { return of.plain_name(); }, {});
    match_by_line(base, fresh, by, first);
    match_only(base, fresh, MatchedBy::Name, loose_text, {});
    match_only(base, fresh, MatchedBy::Name, last_text,
               [](const Known& a, const Known& b) { return is_qualified(a.name) != is_qualified(b.name); });
  }

  static std::optional<std::string> loose_text(const Known& of) {
    return of.by_line ? std::nullopt : std::optional(loose_name(of.name));
  }
  static std::optional<std::string> last_text(const Known& of) {
    return of.by_line ? std::nullopt : std::optional<std::string>(last_part(of.name));
  }

  // Pairs those that are the only ones of their side with a key.
  void match_only(const std::vector<uint32_t>& base, const std::vector<uint32_t>& fresh, MatchedBy by, const Key& key,
                  const Fits& fits) {
    struct Seen {
      uint32_t base = kNone, fresh = kNone;
      uint32_t base_count = 0, fresh_count = 0;
    };
    std::map<std::string, Seen> seen;
    const auto look = [&](const std::vector<uint32_t>& ids, const Side& side, uint32_t Seen::*id, uint32_t Seen::*count) {
      for (const uint32_t i : ids) {
        if (side.functions[i].is_matched) continue;
        std::optional<std::string> text = key(side.functions[i]);
        if (!text) continue;
        Seen& of = seen[*std::move(text)];
        of.*id = i;
        ++(of.*count);
      }
    };
    look(base, base_, &Seen::base, &Seen::base_count);
    look(fresh, fresh_, &Seen::fresh, &Seen::fresh_count);
    for (const auto& [text, of] : seen) {
      if (of.base_count != 1 || of.fresh_count != 1) continue;
      if (fits && !fits(base_.functions[of.base], fresh_.functions[of.fresh])) continue;
      take(of.base, of.fresh, by);
    }
  }

  // `first` is the first match of these two files.
  void match_by_line(const std::vector<uint32_t>& base, const std::vector<uint32_t>& fresh, MatchedBy by, size_t first) {
    AnonymousMatcher matcher;
    for (size_t i = first; i < result_.functions.size(); ++i) {
      const FunctionMatch& match = result_.functions[i];
      matcher.add_named(base_.functions[match.base].line, fresh_.functions[match.fresh].line);
    }
    const auto left = [](const std::vector<uint32_t>& ids, const Side& side) {
      std::vector<AnonymousFunction> result;
      for (const uint32_t i : ids)
        if (const Known& of = side.functions[i]; of.by_line && !of.is_matched) result.push_back({i, *of.by_line});
      return result;
    };
    for (const auto& [a, b] : matcher.match(left(base, base_), left(fresh, fresh_)))
      take(a, b, base_.functions[a].by_line->line == fresh_.functions[b].by_line->line ? by : MatchedBy::Line);
  }

  std::vector<uint32_t> left(const Side& side) const {
    std::vector<uint32_t> ids;
    for (uint32_t i = 0; i < side.functions.size(); ++i)
      if (!side.functions[i].is_matched) ids.push_back(i);
    return ids;
  }

  void match_elsewhere() {
    const auto whole = [](const Known& of) { return says_its_package(of.name) ? of.plain_name() : std::nullopt; };
    const auto loose = [](const Known& of) { return says_its_package(of.name) ? loose_text(of) : std::nullopt; };
    match_only(left(base_), left(fresh_), MatchedBy::File, whole, {});
    match_only(left(base_), left(fresh_), MatchedBy::File, loose, {});
  }

  void match_without_files() {
    const auto fits = [&](const Known& a, const Known& b) {
      const auto same = modules_.find(std::string(a.module));
      const std::string_view module = same == modules_.end() ? a.module : same->second;
      return a.file.empty() != b.file.empty() && !module.empty() && module == b.module;
    };
    match_only(
        left(base_), left(fresh_), MatchedBy::File, [](const Known& of) { return of.plain_name(); }, fits);
    match_only(left(base_), left(fresh_), MatchedBy::File, loose_text, fits);
  }

  void take(uint32_t base, uint32_t fresh, MatchedBy by) {
    base_.functions[base].is_matched = fresh_.functions[fresh].is_matched = true;
    result_.functions.push_back({base, fresh, by});
  }

  Side base_;
  Side fresh_;
  const std::map<std::string, std::string>& modules_;
  Matching result_;
};

}  // namespace

Matching match_functions(std::span<const CodeFunction> base, std::span<const CodeFunction> fresh,
                         const std::map<std::string, std::string>& modules) {
  return Matcher(base, fresh, modules).run();
}

}  // namespace atys::reduce::matching
