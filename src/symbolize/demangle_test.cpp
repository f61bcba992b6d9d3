// SPDX-License-Identifier: Apache-2.0
#include "symbolize/demangle.h"

#include <gtest/gtest.h>

namespace atys::symbolize {
namespace {

struct Case {
  const char* raw;
  const char* text;
};

constexpr Case kCases[] = {
    {"main", "main"},
    {"", ""},
    {"_Z3fooi", "foo(int)"},
    {"_ZN4shop7Counter3addEi", "shop::Counter::add(int)"},
    {"_ZN4shop7CounterC4Ei", "shop::Counter::Counter(int)"},
    {"_Z5twiceIiET_S0_", "twice<int>(int)"},
    {"_ZN12_GLOBAL__N_16hiddenEv", "(anonymous namespace)::hidden()"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)"},
    {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"},
    {"_Z", "_Z"},
    {"_Znothing", "_Znothing"},
    // parts and copies
    {"foo.cold", "foo"},
    {"foo.cold.12", "foo"},
    {"_Z3fooi.isra.0.cold", "foo(int)"},
    {"_Z3fooi.constprop.0.part.3", "foo(int)"},
    {"_Z3fooi.llvm.1234567890", "foo(int)"},
    {"foo.lto_priv.0", "foo"},
    {"_Z3fooi.__uniq.123456.llvm.789", "foo(int)"},
    {"_Z3fooi.__part.1", "foo(int)"},
    {"_Z3fooi.specialized.2", "foo(int)"},
    {"_ZThn16_N5Shape4areaEv", "Shape::area()"},
    {"_ZTv0_n24_N5Shape4areaEv", "Shape::area()"},
    {"_ZTch0_h16_N5Shape4copyEv", "Shape::copy()"},
    {"_Z4sizeB5cxx11i", "size[abi:cxx11](int)"},
    {"_Z4taskv.actor", "task() [clone .actor]"},  // what a coroutine does is not what starts it
    {"main._omp_fn.0", "main._omp_fn.0"},         // … and one of several loops
    {".cold", ".cold"},
    {"foo.12", "foo.12"},
    {"_Z3fooi@plt", "foo(int)@plt"},
    {"memcpy@@GLIBC_2.14", "memcpy"},
    // Rust
    {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
    {"_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
     "<alloc::string::String as core::fmt::Display>::fmt"},
    {"_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function"},
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
    // D
    {"_D8demangle4testFiZv", "demangle.test(int)"},
    // Go
    {"main.(*Server).handle", "main.(*Server).handle"},
    {"runtime.mallocgc", "runtime.mallocgc"},
    {"main.main.func1", "main.main.func1"},
    {"type:.eq.[2]string", "type:.eq.[2]string"},
};

TEST(demangle, gives_names_as_they_were_written) {
  for (const Case& one : kCases) EXPECT_EQ(demangle(one.raw), one.text) << one.raw;
}

constexpr Case kSwift[] = {
    {"$s4main3fooyyF", "main.foo()"},
    {"_$s4main3fooyyF", "main.foo()"},
    {"$s4main3add1a1bS2i_SitF", "main.add(a:b:)"},
    {"$s4main7CounterC3add_2toySi_SitF", "main.Counter.add(_:to:)"},
    {"$s4main7CounterC9incrementyyF", "main.Counter.increment()"},
    {"$s4main7CounterCACycfC", "main.Counter.init()"},
    {"$s4main7CounterC5totalSivg", "main.Counter.total.getter"},
    {"$s4main7CounterC5totalSivs", "main.Counter.total.setter"},
    {"$s4main7CounterCfD", "main.Counter.deinit"},
    {"$s4main5OuterV5InnerO4workyyF", "main.Outer.Inner.work()"},
    {"$s4main5PointV1x1yACSi_SitcfC", "main.Point.init(x:y:)"},
    {"$sSS5countSivg", "Swift.String.count.getter"},
    {"$s4main3fooyyFyycfU_", "closure in main.foo()"},
    {"$s4main3fooyyFyycfU0_", "closure #2 in main.foo()"},
    {"$s4main3fooyyFyycfU11_", "closure #13 in main.foo()"},
    {"$s4main7CounterC3run33_0123456789ABCDEF0123456789ABCDEFLLyyF", "main.Counter.run()"},
    {"$s10MyLibraryX0A4TypeV4workyyF", "MyLibraryX.MyType.work()"},
    {"$sSS4mainE5shoutSSyF", "Swift.String.shout()"},
    {"$s4main3fooyySiF", "main.foo(_:)"},
    {"$s4main3fooyyKF", "main.foo()"},
    {"$s4main7CounterC4makeACyFZ", "main.Counter.make()"},
    // not understood: as it is
    {"$s4main", "$s4main"},
    {"$s", "$s"},
    {"$s99main3fooyyF", "$s99main3fooyyF"},
    {"$sxyz", "$sxyz"},
};

TEST(demangle, reads_the_common_part_of_swift_names) {
  for (const Case& one : kSwift) EXPECT_EQ(demangle(one.raw), one.text) << one.raw;
}

TEST(demangle, is_bounded_for_hostile_names) {
  // Each level names the one before twice: 2^60 characters, were it printed.
  std::string name = "_Z1f1XIiiE";
  for (char c = '0'; c <= '9'; ++c) name += std::string("1XIS") + (c == '0' ? "" : std::string(1, char(c - 1))) + "_S_E";
  EXPECT_LE(demangle(name).size(), 70000u);
  std::string nested = "_R";
  for (int i = 0; i < 60; ++i) nested += "TBs_B_";
  EXPECT_LE(demangle(nested).size(), 70000u);
  EXPECT_LE(demangle("_Z" + std::string(100000, 'P') + "i").size(), 70000u);
  EXPECT_LE(demangle("_Z1f" + std::string(16000, 'P') + "i").size(), 70000u);
  EXPECT_LE(demangle("$s" + std::string(16000, 'y')).size(), 70000u);
  EXPECT_LE(demangle("_D1a" + std::string(1500, 'A')).size(), 70000u);
}

}  // namespace
}  // namespace atys::symbolize
