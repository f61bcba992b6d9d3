// SPDX-License-Identifier: Apache-2.0
// Which functions of two programs are the same function: two versions of one program, in two folders, built twice, run by
// two versions of a runtime. Pure: functions go in, pairs come out. Rules, the first that applies, each for functions that
// none before it has matched:
//
//   1. The same name in the same file; which files are the same is told by file_matching.h. Functions without a file: the
//      same name.
//   2. Functions that only a line tells apart, in the same file: those without a name (anonymous.h), and those whose name
//   has
//      a place in it. Where the named functions around them moved, they moved along; else, if each side has as many of the
//      same word in the same function, in their order.
//   3. In the same file, the only one of each side of that loose name (function_name.h): parameters, clones.
//   4. In the same file, the only one of each side whose name ends so, if one of the two has nothing else: "trim" is what an
//      older Python calls "Urlizer.trim".
//   5. In another file, if the name says its package ("ns::f", "net/http.Get") and is the only one of each side left.
//   6. Where one side does not know files: the only one of that name on each side, in modules that are the same.
//
// Where a function begins does not matter but for rule 2. Each function is in at most one pair, and exchanging the sides
// exchanges the pairs. Names are lasting ones (function_name.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reduce/matching/file_matching.h"

namespace atys::reduce::matching {

struct CodeFunction {
  std::string name;
  std::string file;
  std::string module;
  int64_t line = 0;  // where it begins; 0: not known
};

enum class MatchedBy : uint8_t { Place, Folder, File, Name, Line };

struct FunctionMatch {
  uint32_t base = 0;
  uint32_t fresh = 0;
  MatchedBy by = MatchedBy::Place;
};

struct Matching {
  std::vector<FunctionMatch> functions;  // in the order of the base's
  std::vector<CodeFile> base_files, fresh_files;
  std::vector<FileMatch> files;  // of those
};

// No two functions of a side have the same name and file. `modules` has what a module of the base is on the other side.
Matching match_functions(std::span<const CodeFunction> base, std::span<const CodeFunction> fresh,
                         const std::map<std::string, std::string>& modules = {});

}  // namespace atys::reduce::matching
