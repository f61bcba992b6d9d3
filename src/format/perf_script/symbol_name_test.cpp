// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/symbol_name.h"

#include <gtest/gtest.h>

namespace atys::format::perf_script {

TEST(symbol_name, loses_its_parameter_list) {
  EXPECT_EQ(tidy_symbol("v8::Function::Call(v8::Handle<v8::Value>, int)"), "v8::Function::Call");
  EXPECT_EQ(tidy_symbol("std::vector<int>::at(unsigned long) const"), "std::vector<int>::at");
  EXPECT_EQ(tidy_symbol("RegExp:\\bFoo ?Bar(?:/[\\d.]+|[ \\w.]*)"), "RegExp:\\bFoo ?Bar");
  EXPECT_EQ(tidy_symbol("RegExp:a<b(c)"), "RegExp:a<b");
}

TEST(symbol_name, keeps_parentheses_that_belong_to_the_name) {
  EXPECT_EQ(tidy_symbol("(anonymous namespace)::run(int)"), "(anonymous namespace)::run");
  EXPECT_EQ(tidy_symbol("net/http.(*conn).serve"), "net/http.(*conn).serve");
  EXPECT_EQ(tidy_symbol("Less::operator()(int, int) const"), "Less::operator()");
  EXPECT_EQ(tidy_symbol("std::function<void (int)>::swap(int)"), "std::function<void (int)>::swap");
  EXPECT_EQ(tidy_symbol("run(int)::{lambda(char)#1}::operator()(char) const"), "run(int)::{lambda(char)#1}::operator()");
  EXPECT_EQ(tidy_symbol("operator<<(std::ostream&, int)"), "operator<<");
  EXPECT_EQ(tidy_symbol("Box<int>::operator->() const"), "Box<int>::operator->");
  EXPECT_EQ(tidy_symbol("(null)"), "(null)");
}

TEST(symbol_name, has_no_quotes_separators_or_java_descriptors) {
  EXPECT_EQ(tidy_symbol("RegExp:[&<>\\\"\\']"), "RegExp:[&<>\\\\]");
  EXPECT_EQ(tidy_symbol("Lio/netty/buffer/AbstractByteBuf;.writeBytes"), "io/netty/buffer/AbstractByteBuf:.writeBytes");
  EXPECT_EQ(tidy_symbol("Loader"), "Loader");
  EXPECT_EQ(tidy_symbol("\""), "\"");
}

TEST(symbol_name, of_an_unknown_function_is_its_module) {
  EXPECT_EQ(name_of_unknown("/usr/lib/libc-2.15.so"), "[libc-2.15.so]");
  EXPECT_EQ(name_of_unknown("[vdso]"), "[vdso]");
  EXPECT_EQ(name_of_unknown(""), "[unknown]");
}

TEST(symbol_name, kind_follows_from_the_module) {
  for (const char* module : {"[kernel.kallsyms]", "[guest.kernel.kallsyms]", "[xfs]", "/boot/vmlinux-6.1",
                             "/lib/modules/6.1/xfs.ko.xz", "/lib/x.ko"}) {
    EXPECT_EQ(kind_of_module(module), "kernel") << module;
  }
  for (const char* module : {"/tmp/perf-31912.map", "/tmp/jitted-77-3.so"})
    EXPECT_EQ(kind_of_module(module), "jit") << module;
  for (const char* module : {"/tmp/perf-x.map", "[vdso]", "[heap]", "/bin/ls", "", "//anon"})
    EXPECT_EQ(kind_of_module(module), "") << module;
  EXPECT_EQ(kind_of_module("inlined"), "inlined");
}

}  // namespace atys::format::perf_script
