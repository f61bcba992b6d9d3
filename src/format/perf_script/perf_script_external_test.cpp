// SPDX-License-Identifier: Apache-2.0
// Real perf script output against the folded form that it is known to have. That form leaves out parameters, so that
// overloads are one function, and some signs; so do we, here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

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

// Without what is in parentheses, unless a name is made of it, as in "(anonymous namespace)" and "operator()".
std::string without_parameters(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  for (size_t i = 1; i < name.size(); ++i) {
    const std::string_view before = name.substr(0, i);
    if (name[i] == '(' && !name.substr(i).starts_with(kAnonymous) && !before.ends_with("operator") && name[i - 1] != '.')
      return std::string(before.substr(0, before.find_last_not_of(' ') + 1));
  }
  return std::string(name);
}

// Lines of "root;…;leaf count", each name with a mark of its kind behind it, in an order of their own.
std::multiset<std::string> plain_lines(const std::string& folded) {
  std::map<std::string, long> sums;
  std::istringstream text(folded);
  for (std::string line; std::getline(text, line);) {
    const size_t space = line.rfind(' ');
    std::istringstream names(line.substr(0, space));
    std::string plain;
    for (std::string name; std::getline(names, name, ';');) {
      const size_t mark =
          name.size() > 4 && name.ends_with(']') && name[name.size() - 4] == '_' ? name.size() - 4 : name.size();
      plain += without_parameters(std::string_view(name).substr(0, mark)) + name.substr(mark) + ";";
    }
    for (const auto& [sign, by] : {std::pair("\"", ""), {"'", ""}, {":.", "."}})
      for (size_t at = 0; (at = plain.find(sign, at)) != std::string::npos;) plain.replace(at, std::strlen(sign), by);
    sums[plain] += std::stol(line.substr(space));
  }
  std::multiset<std::string> lines;
  for (const auto& [names, sum] : sums) lines.insert(names + " " + std::to_string(sum));
  return lines;
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
    EXPECT_EQ(plain_lines(sink.text()), plain_lines(content(expected))) << entry.path();
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

}  // namespace atys::format
