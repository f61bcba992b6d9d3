// SPDX-License-Identifier: Apache-2.0
// What LLVM's addr2line says of random addresses of a program, beside what we say. That of binutils 2.40 is no measure: it
// takes the first file of DWARF 5 for the unit's own, and loses inlined calls in units with type sections.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <sstream>

#include "support/compiled_program.h"
#include "symbolize/demangle.h"
#include "symbolize/module.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {
namespace {

struct Line {
  std::string function;
  std::string file;  // without its folder
  std::string line;
  bool operator==(const Line&) const = default;
};

std::vector<std::vector<Line>> ask_addr2line(const test::BuildFolder& folder, const std::vector<uint64_t>& addresses) {
  std::string list;
  for (const uint64_t address : addresses) {
    std::ostringstream text;
    text << std::hex << address << "\n";
    list += text.str();
  }
  folder.write("addresses", list);
  std::istringstream output(
      folder.output("$(command -v llvm-addr2line-14 llvm-addr2line | head -1) -a -i -f -e program < addresses"));
  std::vector<std::vector<Line>> answers;
  std::string function;
  while (std::getline(output, function)) {
    if (function.starts_with("0x")) {
      answers.emplace_back();
      continue;
    }
    std::string place;
    std::getline(output, place);
    place = place.substr(0, place.find(" ("));  // " (discriminator 3)"
    const size_t colon = place.rfind(':');
    const std::string number = place.substr(colon + 1);
    answers.back().push_back({demangle(function), std::filesystem::path(place.substr(0, colon)).filename().string(),
                              number == "?" ? "0" : number});
  }
  return answers;
}

// The last part of a qualified name, without arguments: where a compiler gives no linkage name addr2line has no scope.
std::string last_name(const std::string& function) {
  if (function.find("::{lambda") != std::string::npos) return "{lambda}";
  const std::string name = function.substr(0, function.find_first_of("(<"));
  const size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

class Addr2Line : public testing::TestWithParam<const char*> {};

TEST_P(Addr2Line, agrees_on_random_addresses) {
  const test::BuildFolder folder;
  if (!folder.run("command -v llvm-addr2line-14 llvm-addr2line > /dev/null")) GTEST_SKIP() << "no llvm-addr2line";
  folder.write("program.cpp",
               std::string("#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n") +
                   "int sorts(int n) { std::vector<int> v; for (int i = 0; i < n; ++i) v.push_back(i * 7 % 13);"
                   " std::sort(v.begin(), v.end()); return v[0]; }\n"
                   "int maps(int n) { std::map<std::string, int> m; for (int i = 0; i < n; ++i) "
                   "m[std::to_string(i)] += i; return int(m.size()); }\n" +
                   test::kSampleProgram);
  ASSERT_TRUE(folder.run(std::string("g++ ") + GetParam() + " -o program program.cpp"));
  auto file = ElfFile::open(folder.file("program"));
  ASSERT_TRUE(file.ok());
  const auto text = file->section(".text");
  ASSERT_TRUE(text.has_value());
  std::mt19937 random(11);
  std::vector<uint64_t> addresses;
  for (int i = 0; i < 400; ++i) addresses.push_back(text->address + random() % text->bytes.size());
  const auto module =
      std::make_shared<Module>(Module::Origin{.path = folder.file("program")}, std::make_shared<const ElfFile>(file.take()),
                               std::make_shared<ModuleResources>(ModuleStoreOptions{}));
  const auto theirs = ask_addr2line(folder, addresses);
  ASSERT_EQ(theirs.size(), addresses.size());
  size_t compared = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto ours = module->resolve(addresses[i]);
    if (theirs[i].empty() || theirs[i][0].file == "??" || theirs[i][0].file == "crtstuff.c") continue;  // start-up code
    if (ours.empty() && theirs[i][0].function == "??") continue;  // the gap behind a function
    ASSERT_EQ(ours.size(), theirs[i].size()) << std::hex << addresses[i] << " " << theirs[i][0].function;
    for (size_t k = 0; k < ours.size(); ++k) {
      EXPECT_EQ(last_name(ours[k].function), last_name(theirs[i][k].function)) << std::hex << addresses[i];
      EXPECT_EQ(std::filesystem::path(ours[k].file).filename(), theirs[i][k].file) << std::hex << addresses[i];
      EXPECT_EQ(std::to_string(ours[k].line), theirs[i][k].line) << std::hex << addresses[i] << " frame " << k;
    }
    ++compared;
  }
  EXPECT_GT(compared, 100u);
}

INSTANTIATE_TEST_SUITE_P(options, Addr2Line,
                         testing::Values("-O0 -gdwarf-5", "-O2 -gdwarf-4", "-O2 -gdwarf-5", "-O3 -g", "-O2 -g -gz=zlib",
                                         "-O2 -g -fdebug-types-section", "-O2 -g -flto"));

}  // namespace
}  // namespace atys::symbolize
