// SPDX-License-Identifier: Apache-2.0
// Names of functions from debug information, as compilers of today write it: every address of a program is asked for.
#include "symbolize/dwarf_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "support/compiled_program.h"
#include "symbolize/module.h"
#include "symbolize/module_resources.h"

namespace atys::symbolize {
namespace {

// Each function does something of its own that no compiler can leave out.
constexpr const char* kLambdas = R"(
#include <cstdlib>
#define WORK(n) for (int i = 0; i < (n); ++i) sink = sink + std::rand()
static volatile int sink;
namespace app {
auto global = [](int n) { WORK(n); return n; };
namespace { int helper(int n) { WORK(n); return n; } int helper(char const* n) { WORK(*n); return *n; } }
struct Widget {
  int base = 1;
  int twice(int n) {
    auto scale = [&](int m) { WORK(m + base); return m; };
    return scale(n) + scale(n + 1);
  }
};
template <typename F> __attribute__((noinline)) int call(F f, int n) { return f(n) + std::rand(); }
template <typename T> int templated(T n) {
  return call([n](auto m) { WORK(m); return int(n) + int(m); }, int(n));
}
}
int run(int n) {
  auto one = [](int m) { WORK(m); return m; };
  auto two = [](int m) { WORK(m); return m; }; auto three = [](int m) { WORK(2 * m); return m; };
  auto outer = [&](int m) {
    auto inner = [&](int k) { WORK(k); return k + n; };
    return app::call(inner, m) + inner(m);
  };
  auto generic = [](auto m) { WORK(int(m)); return int(m); };
  struct Local { int method(int m) { WORK(m); return m; } } local;
  return one(n) + app::call(two, n) + three(n) + app::call(outer, n) + generic(n) + generic(1.5 * n) + local.method(n);
}
int main(int argc, char** argv) {
  app::Widget widget;
  return run(argc) + widget.twice(argc) + app::templated(argc) + app::templated(2.0 * argc) + app::global(argc) +
         app::helper(argc) + app::helper(argv[0]);
}
)";

class DwarfNamesTest : public testing::Test {
 protected:
  // Names of all functions that have code in the program, those of its own source file only.
  std::set<std::string> names(const std::string& program, const std::string& source) {
    auto file = ElfFile::open(folder_.file(program));
    EXPECT_TRUE(file.ok());
    const auto text = file->section(".text");
    const auto elf = std::make_shared<const ElfFile>(file.take());
    const auto module = std::make_shared<Module>(Module::Origin{.path = folder_.file(program)}, elf,
                                                 std::make_shared<ModuleResources>(ModuleStoreOptions{}));
    std::set<std::string> found;
    for (uint64_t at = text->address; at < text->address + text->bytes.size(); ++at)
      for (const SourceFrame& frame : module->resolve(at))
        if (std::filesystem::path(frame.file).filename() == source) found.insert(frame.function);
    return found;
  }
  std::string all(const std::set<std::string>& found) {
    std::string text;
    for (const std::string& name : found) text += name + "\n";
    return text;
  }
  test::BuildFolder folder_;
};

class Lambdas : public DwarfNamesTest, public testing::WithParamInterface<const char*> {};

TEST_P(Lambdas, are_named_by_what_is_around_them_and_their_line) {
  folder_.write("lambdas.cpp", kLambdas);
  const std::string command = GetParam();
  if (!folder_.run("command -v " + command.substr(0, command.find(' ')) + " > /dev/null")) GTEST_SKIP() << "no compiler";
  ASSERT_TRUE(folder_.run(command + " -std=c++20 -o program lambdas.cpp"));
  if (command.find("dwz") != std::string::npos && !folder_.run("dwz program")) GTEST_SKIP() << "no dwz";
  const auto found = names("program", "lambdas.cpp");
  for (const char* wanted :
       {"app::{lambda}:6", "app::(anonymous namespace)::helper(int)", "app::(anonymous namespace)::helper(char const*)",
        "app::Widget::twice(int)::{lambda}:11", "app::templated<int>(int)::{lambda}:17<int>",
        "app::templated<double>(double)::{lambda}:17<int>", "run(int)::{lambda}:21", "run(int)::{lambda}:22",
        "run(int)::{lambda}:22#2", "run(int)::{lambda}:23", "run(int)::{lambda}:27<int>", "run(int)::{lambda}:27<double>",
        "run(int)::Local::method(int)"})
    EXPECT_TRUE(found.contains(wanted)) << wanted << " is missing in\n" << all(found);
  // clang does not always tell which function a lambda within a lambda is in, but its linkage name does.
  EXPECT_TRUE(found.contains("run(int)::{lambda}:23::{lambda}:24") ||
              found.contains("run(int)::$_1::operator()(int) const::{lambda}:24"))
      << all(found);
  for (const std::string& name : found) {
    EXPECT_FALSE(name.ends_with("operator()") || name.ends_with("operator()(int) const")) << name;
    EXPECT_FALSE(name.starts_with("()")) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(compilers, Lambdas,
                         testing::Values("g++ -O2 -g", "g++ -O0 -g", "g++ -O2 -gdwarf-4 -fdebug-types-section",
                                         "g++ -O2 -g -gsplit-dwarf", "g++ -O2 -g -flto -fno-ipa-icf", "g++ -O2 -g -Ddwz",
                                         "clang++-14 -O2 -g", "clang++-14 -O0 -g", "clang++-14 -O2 -g -gsplit-dwarf"));

TEST_F(DwarfNamesTest, units_may_share_their_parts) {
  folder_.write("shared.h", R"(
#include <cstdlib>
#include <string>
namespace shop {
struct Cart {
  int base = std::rand();
  __attribute__((noinline)) int total(std::string const& text) {
    auto each = [&](int n) __attribute__((noinline)) { return n * base + std::rand(); };
    return each(int(text.size())) + 1;
  }
};
static __attribute__((noinline)) int helper(Cart& cart, std::string const& text) { return cart.total(text) + std::rand(); }
}
)");
  folder_.write("one.cpp", "#include \"shared.h\"\nint one() { shop::Cart cart; return shop::helper(cart, \"a\"); }\n");
  folder_.write(
      "two.cpp",
      "#include \"shared.h\"\nint one();\nint main() { shop::Cart cart; return one() + shop::helper(cart, \"b\"); }\n");
  ASSERT_TRUE(folder_.run("g++ -O1 -g -o program one.cpp two.cpp"));
  if (!folder_.run("dwz program 2> /dev/null")) GTEST_SKIP() << "no dwz";
  const auto found = names("program", "shared.h");
  const std::string text = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&";
  for (const std::string& wanted : {"shop::Cart::total(" + text + ")", "shop::Cart::total(" + text + ")::{lambda}:8",
                                    "shop::helper(shop::Cart&, " + text + ")"})
    EXPECT_TRUE(found.contains(wanted)) << wanted << " is missing in\n" << all(found);
}

TEST_F(DwarfNamesTest, lambdas_are_told_apart_by_their_lines_where_types_are_left_out) {
  folder_.write("lambdas.cpp", kLambdas);
  ASSERT_TRUE(folder_.run("g++ -O2 -g1 -std=c++20 -o program lambdas.cpp"));
  const auto found = names("program", "lambdas.cpp");
  for (const char* wanted : {"operator():21", "operator():11"}) EXPECT_TRUE(found.contains(wanted)) << all(found);
  EXPECT_FALSE(found.contains("operator()")) << all(found);
}

TEST_F(DwarfNamesTest, a_function_has_one_name_where_it_was_inlined_and_where_it_was_not) {
  folder_.write("program.cpp", R"(
#include <cstdlib>
#include <string>
static volatile int sink;
namespace shop { namespace {
enum class Size { Small, Large };
template <typename T, unsigned long N, bool B> struct Box { T items[N]; };
int price(unsigned long a, long long, const volatile char* const* b, std::string const& c, Box<Size, 4, true>&& d,
          int (*e)(double, ...), int (&f)[3], int Box<Size, 4, true>::*g, void (std::string::*h)(int) const, short const i) {
  for (unsigned long k = 0; k < a; ++k) sink = sink + std::rand() + int(c.size()) + int(d.items[0]) + f[0] + i;
  return b != nullptr && e != nullptr && g != nullptr && h != nullptr;
}
} }
__attribute__((noinline)) int inlined(int n) {
  int f[3] = {n, n, n};
  return shop::price(n, n, nullptr, std::string(n, 'a'), {}, nullptr, f, nullptr, nullptr, 3);
}
int (*volatile pointer)(unsigned long, long long, const volatile char* const*, std::string const&,
               shop::Box<shop::Size, 4, true>&&, int (*)(double, ...), int (&)[3], int shop::Box<shop::Size, 4, true>::*,
               void (std::string::*)(int) const, short const) = shop::price;
int main(int argc, char**) { return inlined(argc) + (pointer != nullptr); }
)");
  ASSERT_TRUE(folder_.run("g++ -O2 -finline-functions -g -o program program.cpp && nm -C program > symbols"));
  std::set<std::string> found;
  for (const std::string& name : names("program", "program.cpp"))
    if (name.find("price") != std::string::npos) found.insert(name);
  ASSERT_EQ(found.size(), 1u) << all(found);
  EXPECT_TRUE(folder_.run("grep -qF \" t " + *found.begin() + "\" symbols")) << *found.begin() << "\n"
                                                                             << folder_.output("grep price symbols");
}

TEST_F(DwarfNamesTest, functions_of_c_have_their_names_alone_and_nested_ones_say_in_what) {
  folder_.write("program.c", R"(
#include <stdlib.h>
static __attribute__((noinline)) int helper(int n) { return n * rand(); }
int first(int n) { __attribute__((noinline)) int inner(int m) { return m + n + rand(); } return helper(n) + inner(n) + 1; }
int second(int n) { __attribute__((noinline)) int inner(int m) { return m * n + rand(); } return helper(n) + inner(n) + 2; }
int main(int argc, char** argv) { return first(argc) + second(argc); }
)");
  ASSERT_TRUE(folder_.run("gcc -O1 -g -o program program.c"));
  const auto found = names("program", "program.c");
  EXPECT_EQ(all(found), "first\nfirst::inner\nhelper\nmain\nsecond\nsecond::inner\n");
}

TEST_F(DwarfNamesTest, what_the_linker_does_not_mangle_has_no_parameters) {
  folder_.write("program.cpp", R"(
#include <cstdlib>
namespace shop { extern "C" __attribute__((noinline)) int plain(int n) { return n * std::rand(); } }
int main(int argc, char** argv) { return shop::plain(argc) + 1; }
)");
  ASSERT_TRUE(folder_.run("g++ -O1 -g -o program program.cpp"));
  EXPECT_EQ(all(names("program", "program.cpp")), "main\nplain\n");
}

TEST_F(DwarfNamesTest, closures_of_rust_are_told_apart_by_their_lines) {
  if (!folder_.run("command -v rustc > /dev/null && rustc --version > /dev/null 2>&1")) GTEST_SKIP() << "no rustc";
  folder_.write("program.rs", R"(
use std::hint::black_box;
fn main() {
    let one = |n: u64| (0..n).fold(0, |a, b| black_box(a + b));
    let two = |n: u64| {
        black_box(n) * 2
    };
    println!("{}", one(black_box(9)) + two(black_box(9)));
}
)");
  ASSERT_TRUE(folder_.run("rustc -g -C opt-level=1 -o program program.rs"));
  const auto found = names("program", "program.rs");
  std::set<std::string> endings;
  for (const std::string& name : found)
    if (const size_t at = name.rfind("closure"); at != std::string::npos) endings.insert(name.substr(name.rfind(':')));
  EXPECT_TRUE(endings.contains(":4") && endings.contains(":5")) << all(found);
}

}  // namespace
}  // namespace atys::symbolize
