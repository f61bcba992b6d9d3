// SPDX-License-Identifier: Apache-2.0
// Which files of two programs are the same file, where the two lie in different folders. Pure: paths and the names of the
// functions in them go in, pairs come out. Rules, the first that applies:
//
//   1. The same path.
//   2. In a package (code_path.h): the same package, and the same path in it, whatever the folder and the version. Files of
//      different packages are never the same.
//   3. Else the longest end of the path that only one file of each side has; ends without versions where whole ones do not
//      do. A file in a package and one that is in none must agree on the package's name and all below.
//   4. A pair of rule 3 that lies elsewhere than most of its neighbours say (they moved from /old to /new, it did not) is
//      another file of the same name, unless half of its functions are the same.
//   5. Renamed: of the files left, those that share functions which no other file left has, and share half of those of the
//      smaller where their names are similar, else half of those of the larger, at least two. In one language and package.
//
// Each file is in at most one pair. The rules do not tell the sides apart: exchanging them exchanges the pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atys::reduce::matching {

struct CodeFile {
  std::string path;
  std::vector<std::string> functions;  // sorted, none twice
};

enum class FileMatchedBy : uint8_t { Path, Folder, Rename };

struct FileMatch {
  uint32_t base = 0;
  uint32_t fresh = 0;
  FileMatchedBy by = FileMatchedBy::Path;
  std::string base_folder;  // of Folder: what differs, "/w/old" and "/w/new"
  std::string fresh_folder;
};

// In the order of the base's files.
std::vector<FileMatch> match_files(std::span<const CodeFile> base, std::span<const CodeFile> fresh);

}  // namespace atys::reduce::matching
