// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/function_name.h"

#include <gtest/gtest.h>

namespace atys::reduce::matching {

TEST(function_name, lasts_from_build_to_build_and_from_run_to_run) {
  for (const auto& [name, lasting] : std::initializer_list<std::pair<const char*, const char*>>{
           {"app::run::h0123456789abcdef", "app::run"},
           {"core[5f4b1c2d3e4f5a6b]::fmt::write", "core::fmt::write"},
           {"_ZN3app3runE.llvm.1234567", "_ZN3app3runE"},
           {"Main$$Lambda$14/0x00007f0001002a00.run", "Main$$Lambda$/0x.run"},
           {"Main$$Lambda$15/0x00007f0001002b10.run", "Main$$Lambda$/0x.run"},
           {"jdk.proxy1.$Proxy12.run", "jdk.proxy1.$Proxy.run"},
           {"<function f at 0x7f00aa00bb00>", "<function f at 0x>"},
           {"JS:*f /app/x.js:1:2", "JS:f /app/x.js:1:2"},
           {"JS:~f /app/x.js:1:2", "JS:f /app/x.js:1:2"},
           // Nothing of this is made anew.
           {"a[1]", "a[1]"},
           {"std::array<int, 12>::at", "std::array<int, 12>::at"},
           {"x::height", "x::height"},
           {"$", "$"},
           {"", ""},
       }) {
    EXPECT_EQ(name_in_any_build(name), lasting) << name;
  }
}

TEST(function_name, is_loose_about_clones_parameters_and_major_versions) {
  for (const auto& [name, loose] : std::initializer_list<std::pair<const char*, const char*>>{
           {"f.isra.0", "f"},
           {"f.part.0.cold", "f"},
           {"f(int) [clone .constprop.0]", "f"},
           {"ns::f(std::vector<int> const&)", "ns::f"},
           {"ns::f[abi:cxx11](int)", "ns::f"},
           {"github.com/a/b/v2.(*T).F", "github.com/a/b.(*T).F"},
           {"github.com/a/b/v2/c.F", "github.com/a/b/c.F"},
           {"gopkg.in/yaml.v3.Unmarshal", "gopkg.in/yaml.Unmarshal"},
           {"main.run.func1", "main.run.func1"},
           {"<T as core::fmt::Display>::fmt", "<T as core::fmt::Display>::fmt"},
           {"core::num::<impl From<u8> for u64>::from", "core::num::<impl From<u8> for u64>::from"},
           {"(anonymous)", "(anonymous)"},
           {"Urlizer.trim", "Urlizer.trim"},
           {"a.v2.f", "a.v2.f"},
       }) {
    EXPECT_EQ(loose_name(name), loose) << name;
  }
}

TEST(function_name, knows_its_last_part) {
  EXPECT_EQ(last_part("Urlizer.trim"), "trim");
  EXPECT_EQ(last_part("wrap.<locals>._generator"), "_generator");
  EXPECT_EQ(last_part("Foo::Bar#baz"), "baz");
  EXPECT_EQ(last_part("f(a.b)"), "f(a.b)");
  EXPECT_EQ(last_part("trim"), "trim");
  EXPECT_EQ(last_part("trim."), "trim.");
}

TEST(function_name, says_its_package_or_does_not) {
  for (const char* name : {"ns::f(int)", "net/http.(*conn).serve", "java.util.HashMap.put", "core::fmt::write"})
    EXPECT_TRUE(says_its_package(name)) << name;
  for (const char* name : {"f", "Urlizer.trim", "main.run", "wrap.<locals>.g", "(anonymous namespace)::f", "a.b.c", ""})
    EXPECT_FALSE(says_its_package(name)) << name;
}

TEST(function_name, finds_the_place_that_a_tool_wrote_into_it) {
  const auto text = [](const char* name) {
    const auto found = place_in_name(name);
    return found ? std::string(found->name) + "|" + std::string(found->file) + "|" + std::to_string(found->line) : "none";
  };
  EXPECT_EQ(text("dumps (/usr/lib/python3.11/json/__init__.py:183)"), "dumps|/usr/lib/python3.11/json/__init__.py|183");
  EXPECT_EQ(text("dumps (json/__init__.py)"), "dumps|json/__init__.py|0");
  EXPECT_EQ(text("py::f:/app/x.py"), "f|/app/x.py|0");
  EXPECT_EQ(text("JS:f /app/x.js:12:3"), "JS:f|/app/x.js|12");
  for (const char* none : {"operator new", "f(int, long)", "main", "unsigned f", "g (int)", "", " ()", "py::f"})
    EXPECT_EQ(text(none), "none") << none;
}

}  // namespace atys::reduce::matching
