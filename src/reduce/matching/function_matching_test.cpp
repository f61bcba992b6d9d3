// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/function_matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reduce/random.h"

namespace atys::reduce::matching {

namespace {

using Functions = std::vector<CodeFunction>;
using Texts = std::vector<std::string>;

Texts pairs(const Functions& base, const Functions& fresh, const std::map<std::string, std::string>& modules = {}) {
  Texts texts;
  const auto text = [](const CodeFunction& of) { return of.file.empty() ? of.name : of.file + ":" + of.name; };
  for (const FunctionMatch& match : match_functions(base, fresh, modules).functions)
    texts.push_back(text(base[match.base]) + " = " + text(fresh[match.fresh]));
  return texts;
}

// A program of some packages, with names that recur in several files.
Functions program(uint64_t seed, const std::string& root, const std::string& packages) {
  static constexpr const char* kNames[] = {"f", "run", "get", "__init__", "parse", "Widget.draw", "ns::f(int)", "main"};
  static constexpr const char* kFiles[] = {"app.py",      "util.py",      "core/util.py",
                                           "core/app.py", "web/index.js", "web/a/index.js"};
  static constexpr const char* kPackages[] = {"site-packages/six.py", "node_modules/ms/index.js", "node_modules/ms/util.js"};
  Random random(seed);
  Functions functions;
  const auto add = [&](const std::string& file) {
    int64_t line = 0;
    for (const char* name : kNames) {
      line += 1 + static_cast<int64_t>(random.below(20));
      if (random.below(3) > 0) functions.push_back({name, file, "", line});
    }
    for (size_t i = random.below(3); i > 0; --i) {
      line += 1 + static_cast<int64_t>(random.below(9));
      functions.push_back({"(anonymous):" + std::to_string(line) + " in run", file, "", line});
    }
  };
  for (const char* file : kFiles) add(root + file);
  for (const char* file : kPackages) add(packages + file);
  functions.push_back({"memcpy", "", "/lib/libc.so.6", 0});
  return functions;
}

}  // namespace

TEST(function_matching, follows_functions_to_another_folder) {
  EXPECT_EQ(pairs({{"f", "old/app.py"}, {"g", "old/app.py"}}, {{"g", "new/app.py"}, {"f", "new/app.py"}}),
            (Texts{"old/app.py:f = new/app.py:f", "old/app.py:g = new/app.py:g"}));
  // Where it begins does not matter.
  EXPECT_EQ(pairs({{"f", "old/app.py", "", 3}}, {{"f", "new/app.py", "", 30}}).size(), 1u);
  // A function that is not there stays alone.
  EXPECT_EQ(pairs({{"f", "old/app.py"}}, {{"g", "new/app.py"}}), Texts{});
}

TEST(function_matching, moves_functions_without_a_name_along_with_those_around_them) {
  const Functions base{
      {"run", "a.js", "", 10}, {"(anonymous):12 in run", "a.js", "", 12}, {"(anonymous):15 in run", "a.js", "", 15}};
  const Functions fresh{
      {"run", "a.js", "", 13}, {"(anonymous):15 in run", "a.js", "", 15}, {"(anonymous):18 in run", "a.js", "", 18}};
  EXPECT_EQ(pairs(base, fresh), (Texts{"a.js:run = a.js:run", "a.js:(anonymous):12 in run = a.js:(anonymous):15 in run",
                                       "a.js:(anonymous):15 in run = a.js:(anonymous):18 in run"}));
  // As many on each side: in their order. One more on one side: nobody can say.
  const Functions two{{"<lambda>:3", "b.py", "", 3}, {"<lambda>:9", "b.py", "", 9}};
  EXPECT_EQ(pairs(two, {{"<lambda>:4", "b.py", "", 4}, {"<lambda>:20", "b.py", "", 20}}).size(), 2u);
  EXPECT_EQ(pairs(two, {{"<lambda>:4", "b.py", "", 4}}).size(), 0u);
  // Unless most of them moved as far.
  const Functions three{{"<lambda>:3", "b.py"}, {"<lambda>:9", "b.py"}, {"<lambda>:14", "b.py"}};
  EXPECT_EQ(pairs(three, {{"<lambda>:10", "b.py"}, {"<lambda>:21", "b.py"}}),
            (Texts{"b.py:<lambda>:3 = b.py:<lambda>:10", "b.py:<lambda>:14 = b.py:<lambda>:21"}));
}

TEST(function_matching, reads_places_that_tools_write_into_names) {
  EXPECT_EQ(
      pairs({{"f (/w/old/app.py:12)"}, {"g (/w/old/app.py:30)"}}, {{"f (/w/new/app.py:14)"}, {"g (/w/new/app.py:33)"}}),
      (Texts{"f (/w/old/app.py:12) = f (/w/new/app.py:14)", "g (/w/old/app.py:30) = g (/w/new/app.py:33)"}));
}

TEST(function_matching, knows_what_compilers_and_runtimes_make_of_a_name) {
  EXPECT_EQ(pairs({{"f.isra.0", "a.c"}}, {{"f", "b/a.c"}}).size(), 1u);
  EXPECT_EQ(pairs({{"ns::f(int)", "a.cpp"}}, {{"ns::f(long)", "a.cpp"}}).size(), 1u);
  EXPECT_EQ(pairs({{"trim", "html.py"}}, {{"Urlizer.trim", "html.py"}}).size(), 1u);
  // Two of one side that could be meant, and two classes.
  EXPECT_EQ(pairs({{"trim", "html.py"}}, {{"A.trim", "html.py"}, {"B.trim", "html.py"}}).size(), 0u);
  EXPECT_EQ(pairs({{"A.trim", "html.py"}}, {{"B.trim", "html.py"}}).size(), 0u);
  EXPECT_EQ(pairs({{"ns::f(int)", "a.cpp"}}, {{"ns::f(long)", "a.cpp"}, {"ns::f(char)", "a.cpp"}}).size(), 0u);
}

TEST(function_matching, follows_a_name_that_says_its_package_to_another_file) {
  EXPECT_EQ(pairs({{"ns::f(int)", "/w/a.cpp"}}, {{"ns::f(int)", "/v/b.cpp"}}).size(), 1u);
  EXPECT_EQ(pairs({{"github.com/x/y.F", "/p/one.go"}}, {{"github.com/x/y/v2.F", "/q/two.go"}}).size(), 1u);
  EXPECT_EQ(pairs({{"f", "/w/a.cpp"}}, {{"f", "/v/b.cpp"}}).size(), 0u);
}

TEST(function_matching, needs_no_files_where_one_side_has_none) {
  const std::map<std::string, std::string> modules{{"/old/prog", "/new/prog"}};
  EXPECT_EQ(pairs({{"f", "", "/old/prog"}}, {{"f", "/src/a.c", "/new/prog"}}, modules).size(), 1u);
  EXPECT_EQ(pairs({{"f", "", "/old/other"}}, {{"f", "/src/a.c", "/new/prog"}}, modules).size(), 0u);
  EXPECT_EQ(pairs({{"f", "", ""}}, {{"f", "/src/a.py", ""}}, modules).size(), 0u);
}

TEST(function_matching, finds_every_function_of_a_program_in_itself) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Functions functions = program(seed, "/w/", "/v/lib/python3.11/");
    const Matching matching = match_functions(functions, functions);
    ASSERT_EQ(matching.functions.size(), functions.size()) << seed;
    for (const FunctionMatch& match : matching.functions) {
      EXPECT_EQ(match.base, match.fresh);
      EXPECT_EQ(match.by, MatchedBy::Place);
    }
  }
}

TEST(function_matching, is_not_changed_by_other_roots) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Functions base = program(seed, "/w/", "/v/lib/python3.11/");
    const Functions fresh = program(seed + 1000, "/w/", "/v/lib/python3.11/");
    const Functions moved = program(seed + 1000, "/srv/releases/20240131/", "/opt/venv/lib/python3.12/");
    const Matching here = match_functions(base, fresh);
    const Matching there = match_functions(base, moved);
    std::set<std::pair<uint32_t, uint32_t>> before, after;
    for (const FunctionMatch& match : here.functions) before.emplace(match.base, match.fresh);
    for (const FunctionMatch& match : there.functions) after.emplace(match.base, match.fresh);
    EXPECT_EQ(before, after) << seed;
  }
}

TEST(function_matching, does_not_tell_the_sides_apart_and_pairs_nothing_twice) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Functions base = program(seed, "/w/old/", "/a/");
    const Functions fresh = program(seed * 7, seed % 2 == 0 ? "/w/new/" : "/x/", "/b/lib/");
    std::set<std::pair<uint32_t, uint32_t>> there, back;
    std::set<uint32_t> of_base, of_fresh;
    for (const FunctionMatch& match : match_functions(base, fresh).functions) {
      there.emplace(match.base, match.fresh);
      EXPECT_TRUE(of_base.insert(match.base).second);
      EXPECT_TRUE(of_fresh.insert(match.fresh).second);
    }
    for (const FunctionMatch& match : match_functions(fresh, base).functions) back.emplace(match.fresh, match.base);
    EXPECT_EQ(there, back) << seed;
  }
}

TEST(function_matching, bears_any_bytes) {
  const Functions odd{{"", ""},
                      {"\xff\xfe", "\xff"},
                      {"(anonymous):99999999999999999999", "a"},
                      {"::h", "///"},
                      {"[", "@v"},
                      {"f (", ")"},
                      {"[abi:", "x@v1"},
                      {".isra.", ".."},
                      {"a (b:1", "/.."},
                      {"<", "site-packages/"}};
  EXPECT_EQ(match_functions(odd, odd).functions.size(), odd.size());
}

}  // namespace atys::reduce::matching
