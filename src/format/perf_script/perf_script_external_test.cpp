// SPDX-License-Identifier: Apache-2.0
// Real perf script output against the folded form that it is known to have.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "format/format.h"

namespace atys::format {

namespace {

std::filesystem::path data_folder() {
  const char* set = std::getenv("ATYS_EXTERNAL_DATA");
  const std::filesystem::path repository =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
  return (set != nullptr ? std::filesystem::path(set) : repository / "../shared/data") / "perf-script";
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST(perf_script, folds_real_output_as_expected) {
  const auto folder = data_folder();
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no external data: " << folder;
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path expected = folder / (entry.path().stem().string() + "-collapsed-all.txt");
    if (!std::filesystem::exists(expected)) continue;
    const auto profile = read_profile_file(entry.path().string());
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    StringSink sink;
    ASSERT_TRUE(find_format("collapsed")->write(*profile, {}, sink).ok());
    EXPECT_EQ(sink.text(), content(expected)) << entry.path();
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

}  // namespace atys::format
