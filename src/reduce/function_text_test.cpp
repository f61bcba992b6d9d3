// SPDX-License-Identifier: Apache-2.0
#include "reduce/function_text.h"

#include <gtest/gtest.h>

namespace atys::reduce {

namespace {
struct Case {
  const char* name;
  const char* package;
  const char* short_name;
};

constexpr Case kCases[] = {
    {"runtime.mallocgc", "runtime", "runtime.mallocgc"},
    {"net/http.(*conn).serve", "net/http", "http.(*conn).serve"},
    {"github.com/a/b.c/d.F.func1", "github.com/a/b.c/d", "d.F.func1"},
    {"sync/atomic.(*Pointer[go.shape.struct { a/b.C }]).Load", "sync/atomic",
     "atomic.(*Pointer[go.shape.struct { a/b.C }]).Load"},
    {"std::vector<std::pair<int, int>, A>::push_back(int const&)", "std", "vector::push_back"},
    {"void ns::deep::f<int>(a::b)", "ns", "deep::f"},
    {"ns::Less::operator()(int) const", "ns", "Less::operator()"},
    {"ns::operator<(A, B)", "ns", "ns::operator<"},
    {"(anonymous namespace)::work(int)", "prog", "(anonymous namespace)::work"},
    {"core::ptr::drop_in_place<alloc::Vec<u8>>", "core", "ptr::drop_in_place"},
    {"<T as core::fmt::Display>::fmt", "prog", "::fmt"},
    {"java.util.HashMap.put", "java.util", "HashMap.put"},
    {"main.setFunctions.func17", "main", "main.setFunctions.func17"},
    {"main", "prog", "main"},
    {"a<b::c", "prog", "a<b::c"},
    {"", "prog", ""},
    {"::", "prog", "::"},
    {"...", "prog", "..."},
    {"/", "prog", "/"},
};
}  // namespace

TEST(function_text, knows_packages_and_short_names_of_many_languages) {
  for (const Case& c : kCases) {
    EXPECT_EQ(package_of(c.name, "dir/file.c", "/usr/bin/prog"), c.package) << c.name;
    EXPECT_EQ(short_name(c.name), c.short_name) << c.name;
  }
  EXPECT_EQ(package_of("main", "dir/file.c", ""), "file.c");
}

TEST(function_text, takes_very_long_names) {
  std::string brackets(1 << 20, '<');
  brackets += "::x";
  EXPECT_EQ(short_name(brackets), brackets);
  EXPECT_EQ(package_of(std::string(1 << 20, 'a') + ".b", "", "").size(), size_t{1} << 20);
}

}  // namespace atys::reduce
