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
    {"void Test.work(java.util.concurrent.CountDownLatch, java.lang.Integer)", "prog",
     "Test.work(java.util.concurrent.CountDownLatch, java.lang.Integer)"},
    {"int java.util.Random.next(int)", "prog", "Random.next(int)"},
    {"a.b.C.<init>(a.b.D)", "a.b", "C.<init>(a.b.D)"},
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
  std::string name(1 << 20, 'a');
  name += ".b";
  EXPECT_EQ(package_of(name, "", "").size(), size_t{1} << 20);
}

TEST(function_text, what_is_declared_in_a_function_keeps_its_name) {
  EXPECT_EQ(short_name("run(int)::{lambda}:42"), "run::{lambda}:42");
  EXPECT_EQ(short_name("shop::Cart::total(int) const::{lambda}:23::{lambda}:24<int>"), "total::{lambda}:23::{lambda}:24");
  EXPECT_EQ(short_name("run(int)::{lambda(char)#1}::operator()(char) const"), "run::{lambda(char)#1}::operator()");
  EXPECT_EQ(short_name("shop::run(int)::Local::method(int)"), "Local::method");
  EXPECT_EQ(short_name("core::ops::function::FnOnce::{{closure}}:7"), "FnOnce::{{closure}}:7");
  EXPECT_EQ(package_of("run(int)::{lambda}:42", "", "/srv/bin/server"), "server");
  EXPECT_EQ(package_of("shop::run(int)::{lambda}:42", "", "/srv/bin/server"), "shop");
}

TEST(function_text, names_made_at_run_time_become_stable) {
  for (const char* name :
       {"com.shop.Order$$Lambda$89+0x00007fad64008240.927327686.apply", "com.shop.Order$$Lambda$1/1234567.apply",
        "com.shop.Order$$Lambda/0x00007fad64008240.apply", "com.shop.Order$$Lambda+0x00007fad64008240.apply",
        "com.shop.Order$$Lambda$14.apply", "com.shop.Order$$Lambda.apply"})
    EXPECT_EQ(stable_name(name), "com.shop.Order$$Lambda.apply") << name;
  EXPECT_EQ(stable_name("com/shop/Order$$Lambda$89/0x00007fad64008240.apply"), "com/shop/Order$$Lambda.apply");
  EXPECT_EQ(stable_name("java.lang.invoke.LambdaForm$MH/0x00007fad64008240.invoke"),
            "java.lang.invoke.LambdaForm$MH.invoke");
  EXPECT_EQ(stable_name("jdk.internal.reflect.GeneratedMethodAccessor12.invoke"),
            "jdk.internal.reflect.GeneratedMethodAccessor.invoke");
  for (const char* name : {"com.shop.Order.lambda$main$0", "com.shop.Order$1.run", "main", "", "$$Lambda", "a$$Lambda$x"})
    EXPECT_EQ(stable_name(name), name);
}

}  // namespace atys::reduce
