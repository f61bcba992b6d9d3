// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/symbol_name.h"

#include <gtest/gtest.h>

namespace atys::format::perf_script {

TEST(symbol_name, is_what_perf_prints) {
  for (const char* name :
       {"v8::Function::Call(v8::Handle<v8::Value>, int)", "std::vector<int>::at(unsigned long) const",
        "RegExp:\\bFoo ?Bar(?:/[\\d.]+|[ \\w.]*)", "RegExp:[&<>\\\"\\']", "(anonymous namespace)::run(int)",
        "net/http.(*conn).serve", "Less::operator()(int, int) const", "run(int)::{lambda(char)#1}::operator()(char) const",
        "operator<<(std::ostream&, int)", "(null)", "Loader", "\""})
    EXPECT_EQ(tidy_symbol(name), name);
}

TEST(symbol_name, has_no_signs_of_java_descriptors) {
  EXPECT_EQ(tidy_symbol("Lio/netty/buffer/AbstractByteBuf;.writeBytes"), "io/netty/buffer/AbstractByteBuf.writeBytes");
  EXPECT_EQ(tidy_symbol("Ljava/util/HashMap;::put"), "java/util/HashMap::put");
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
