// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/data_folder.h"

#include <sys/stat.h>

#include <filesystem>

namespace atys::verbs {

namespace {

constexpr const char* kFix = "say another folder with --data";

}  // namespace

Result<> make_data_folder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path + "/").parent_path();  // without a slash at its end
  if (!folder.parent_path().empty()) std::filesystem::create_directories(folder.parent_path(), error);
  if (!error && ::mkdir(folder.c_str(), 0700) != 0 && !std::filesystem::is_directory(folder))
    error = std::error_code(errno, std::generic_category());
  if (error) return fail(ErrorCode::PermissionDenied, "cannot make " + path + ": " + error.message(), kFix);
  return {};
}

}  // namespace atys::verbs
