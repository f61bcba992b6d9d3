// SPDX-License-Identifier: Apache-2.0
// Names that are the same for the same functions of several profiles, so that whatever compares them by name, file, line or
// module compares like with like: two versions in two folders, virtual environments, containers, builds.
//
// Which functions are the same is told by reduce/matching (function_matching.h has the rules). Each gets the name, file,
// start and module that it has in the new profiles; its lines move along with its start. Functions of only one side keep
// their own, but for the file where that is known to be one of the other side. Code without names is told by its offset,
// which means nothing in another build: where the build ids of a module differ, all of it is one function, "program+?".
//
// Algebra: values, stacks' shapes and labels stay as they are; profiles of one and the same program in one place are not
// changed at all; another root for one side gives the same names (its own functions aside).
//
//   CommonNames names;                      or:   const NamedAlike both = named_alike(base, fresh);
//   names.add(fresh, Side::Fresh);
//   names.add(base, Side::Base);
//   names.settle();
//   Profile a = names.renamed(base, Side::Base);
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "reduce/matching/function_matching.h"

namespace atys::reduce {

enum class Side : uint8_t { Base, Fresh };

// What a path, a module or a name of the base begins with, and with what it begins in the new one: at a border between
// parts.
struct PathMap {
  std::string from;
  std::string to;
};
// "OLD=NEW".
Result<PathMap> parse_path_map(std::string_view text);

struct MatchedPlaces {
  std::string base;
  std::string fresh;
  size_t functions = 0;
};

// How functions of the base were found in the new profiles.
struct MatchReport {
  size_t same_place = 0;
  size_t by_folder = 0;  // the same file in another folder, or of another version of its package
  size_t by_file = 0;    // in another file
  size_t by_name = 0;    // spelled otherwise
  size_t by_line = 0;    // told by the line where it begins, which moved
  size_t only_base = 0;
  size_t only_fresh = 0;
  std::vector<MatchedPlaces> folders;  // most functions first
  std::vector<MatchedPlaces> files;    // of another name

  size_t elsewhere() const { return by_folder + by_file + by_name + by_line; }
};

class CommonNames {
 public:
  explicit CommonNames(std::vector<PathMap> maps = {}) : maps_(std::move(maps)) {}

  // Every profile that will be compared, before `settle`.
  void add(const Profile& profile, Side side);
  void settle();

  // After `settle`; the same rows in the same order.
  Profile renamed(Profile profile, Side side) const;
  const MatchReport& report() const { return report_; }

  // What a function of the common names is in the base, where name, file or module differ; null: it is not there, or is the
  // same.
  const matching::CodeFunction* in_base(std::string_view name, std::string_view file) const;
  // All of those, by name and file.
  const std::map<std::pair<std::string, std::string>, matching::CodeFunction>& other_names() const { return other_names_; }

 private:
  using Number = uint32_t;  // of a function, on its side or in common

  struct Known {
    matching::CodeFunction as_is;
    matching::CodeFunction mapped;  // as the user's maps say
    std::vector<int64_t> starts;    // sorted: several functions of one file may have one name
    Number common = UINT32_MAX;
    matching::MatchedBy by = matching::MatchedBy::Place;
    std::pair<std::string, std::string> places;  // of Folder and File: what differs
  };
  struct Common {
    matching::CodeFunction function;
    std::vector<int64_t> starts;
    bool is_in_base = false;
    bool is_in_fresh = false;
  };
  // A profile, as far as its functions go.
  struct Run {
    std::vector<Number> functions;
    std::map<std::string, std::vector<std::string>> modules;  // with the functions in them
  };
  struct SideNames {
    std::vector<Known> known;
    std::unordered_map<std::string, Number> numbers;  // by name and file
    std::vector<Run> runs;
    std::map<std::string, std::string> modules;                 // what a module is called in common
    std::map<std::string, std::vector<std::string>> build_ids;  // by module
  };

  SideNames& of(Side side) { return side == Side::Base ? base_ : fresh_; }
  const SideNames& of(Side side) const { return side == Side::Base ? base_ : fresh_; }
  std::string mapped(std::string_view text, Side side) const;
  // Also where the name itself says the place.
  std::string mapped_name(std::string_view name, Side side) const;
  Number number_of(const Profile& profile, profile::FunctionId id, std::string_view module, Side side);
  void settle_modules(SideNames& names, const Run& run, Side side);
  void settle_functions(SideNames& names, const Run& run, Side side);
  void take_matches(SideNames& names, const std::vector<Number>& functions, const matching::Matching& matching);
  void make_report();
  void note_other_builds();
  int64_t common_start(const Known& known, int64_t start) const;

  std::vector<PathMap> maps_;
  SideNames base_;
  SideNames fresh_;
  std::vector<Common> common_;
  std::map<std::string, std::vector<std::string>> common_modules_;  // with the functions in them
  std::set<std::string> rebuilt_;                                   // of common modules: whose builds have nothing in common
  MatchReport report_;
  std::map<std::pair<std::string, std::string>, matching::CodeFunction> other_names_;
};

struct NamedAlike {
  Profile base;
  Profile fresh;
  MatchReport report;
};
NamedAlike named_alike(const Profile& base, const Profile& fresh, const std::vector<PathMap>& maps = {});

}  // namespace atys::reduce
