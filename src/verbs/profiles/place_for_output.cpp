// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/place_for_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/library.h"

namespace atys::verbs {

namespace {

namespace fs = std::filesystem;

// The folder is made when the first profile is kept, so what counts is the nearest that there is.
Result<> check_library() {
  const fs::path home = fs::absolute(store::Library::open_default().home());
  fs::path folder = home / "profiles";
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::exists(fs::symlink_status(folder, ignored))) folder = folder.parent_path();
  const bool is_folder = fs::is_directory(folder, ignored);
  if (is_folder && ::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  const std::string why = is_folder ? std::strerror(errno) : folder.string() + " is no folder";
  return fail(ErrorCode::PermissionDenied, "cannot keep a profile in the library " + home.string() + ": " + why,
              "set ATYS_HOME to a folder that you may write, or name a file: -o FILE");
}

}  // namespace

Result<> check_place(const std::string& path) {
  if (path == "-") return {};
  if (path.empty()) return check_library();
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return fail(ErrorCode::InvalidInput, "cannot write " + path + ": it is a folder", "name a file in it");
  const std::string folder = fs::path(path).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) return fail_errno("write " + path);
  return {};
}

}  // namespace atys::verbs
