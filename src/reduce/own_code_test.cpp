// SPDX-License-Identifier: Apache-2.0
#include "reduce/own_code.h"

#include <gtest/gtest.h>

#include "reduce/code_origins.h"

namespace atys::reduce {

namespace {

Origin origin(const Entity& entity, const OwnCodeRules& rules = {}) { return OwnCode::compile(rules)->of(entity); }

Entity at(std::string name, std::string file, std::string module = {}, std::string kind = {}) {
  return {.name = std::move(name),
          .file = std::move(file),
          .line = 0,
          .module = std::move(module),
          .kind = std::move(kind),
          .build_id = {}};
}

}  // namespace

TEST(own_code, is_told_by_the_folder_of_the_file) {
  EXPECT_EQ(origin(at("f", "/srv/app/views.py")), Origin::Own);
  EXPECT_EQ(origin(at("f", "/srv/app/.venv/lib/python3.11/site-packages/django/urls.py")), Origin::Library);
  EXPECT_EQ(origin(at("f", "/usr/lib/python3.11/json/encoder.py", "/usr/bin/python3.11")), Origin::Runtime);
  EXPECT_EQ(origin(at("f", "/usr/lib/python3/dist-packages/yaml/__init__.py")), Origin::Library);
  EXPECT_EQ(origin(at("f", "<frozen importlib._bootstrap>")), Origin::Runtime);
  EXPECT_EQ(origin(at("f", "/srv/app/node_modules/lodash/lodash.js")), Origin::Library);
  EXPECT_EQ(origin(at("f", "node:internal/modules/cjs/loader")), Origin::Runtime);
  EXPECT_EQ(origin(at("f", "/srv/u/.cargo/registry/src/index/serde-1.0/src/de.rs")), Origin::Library);
  EXPECT_EQ(origin(at("f", "/rustc/abc/library/core/src/iter.rs")), Origin::Runtime);
  EXPECT_EQ(origin(at("net/http.f", "/usr/local/go/src/net/http/server.go")), Origin::Runtime);
  EXPECT_EQ(origin(at("x.f", "/srv/go/pkg/mod/github.com/x/y@v1.2.3/z.go")), Origin::Library);
  EXPECT_EQ(origin(at("f", "/usr/include/c++/12/bits/stl_algo.h")), Origin::Runtime);
}

TEST(own_code, is_told_by_the_package_where_no_file_says_it) {
  EXPECT_EQ(origin(at("java.util.UUID.randomUUID", "UUID.java")), Origin::Runtime);
  EXPECT_EQ(origin(at("com.shop.Order.place", "Order.java")), Origin::Own);
  EXPECT_EQ(origin(at("org.springframework.web.Filter.run", "Filter.java")), Origin::Library);
  EXPECT_EQ(origin(at("Ljava/util/HashMap;::put", "")), Origin::Runtime);
  EXPECT_EQ(origin(at("void std::sort<int*>(int*, int*)", "", "/srv/app/bin/server")), Origin::Runtime);
  EXPECT_EQ(origin(at("<core::iter::Map<I, F> as Iterator>::next", "")), Origin::Runtime);
  EXPECT_EQ(origin(at("runtime.mallocgc", "runtime/malloc.go")), Origin::Runtime);
  EXPECT_EQ(origin(at("main.run", "example.com/shop/main.go")), Origin::Own);
  EXPECT_EQ(origin(at("dumps (/usr/lib/python3.11/json/__init__.py:183)", "")), Origin::Runtime);
  EXPECT_EQ(origin(at("anything", "")), Origin::Own);
}

TEST(own_code, is_told_by_the_module_for_native_code) {
  EXPECT_EQ(origin(at("malloc", "malloc.c", "/usr/lib/x86_64-linux-gnu/libc.so.6")), Origin::Runtime);
  EXPECT_EQ(origin(at("deflate", "", "/usr/lib/aarch64-linux-gnu/libz.so.1")), Origin::Library);
  EXPECT_EQ(origin(at("_PyEval_EvalFrameDefault", "../Python/ceval.c", "/usr/bin/python3.11")), Origin::Runtime);
  EXPECT_EQ(origin(at("handle", "", "/srv/app/bin/server")), Origin::Own);
  EXPECT_EQ(origin(at("pythonic", "", "/srv/app/bin/pythonic")), Origin::Own);
  EXPECT_EQ(origin(at("do_syscall_64", "", "", "kernel")), Origin::Runtime);
}

TEST(own_code, is_not_what_a_runtime_makes_or_brings) {
  EXPECT_EQ(origin(at("RegExp: ^a+$", "", "", "native")), Origin::Runtime);
  EXPECT_EQ(origin(at("jbyte_disjoint_arraycopy_avx3", "", "", "native")), Origin::Runtime);
  EXPECT_EQ(origin(at("f", "", "", "jvm")), Origin::Own);
  EXPECT_EQ(origin(at("[garbage collection]", "", "", "cpython")), Origin::Runtime);
  EXPECT_EQ(origin(at("[jit 12]+0x7f00", "", "[jit 12]", "native")), Origin::Own);
  EXPECT_EQ(
      origin(at("zlib_compress", "/build/python/Modules/zlibmodule.c", "/usr/local/lib/python3.11/lib-dynload/zlib.so")),
      Origin::Runtime);
  EXPECT_EQ(origin(at("dot", "/src/core/dot.c", "/usr/local/lib/python3.11/site-packages/numpy/core.so")), Origin::Library);
  EXPECT_EQ(origin(at("Java_defineClass0", "", "/usr/lib/jvm/java-17-openjdk-amd64/lib/libverify.so")), Origin::Runtime);
  EXPECT_EQ(origin(at("hashbrown::map::get", "/rust/deps/hashbrown-0.16.1/src/map.rs", "/srv/bin/app")), Origin::Runtime);
}

TEST(own_code, is_not_a_librarys_because_of_where_the_other_version_lies) {
  const auto of = [](const char* file, const char* other, const OwnCodeRules& rules = {}) {
    OwnCode code = OwnCode::compile(rules).take();
    code.add_other_place("f", file, at("f", other));
    return code.of(at("f", file));
  };
  EXPECT_EQ(of("/home/me/app/x.py", "/srv/venv/lib/python3.11/site-packages/app/x.py"), Origin::Own);
  EXPECT_EQ(of("/usr/share/app-2/x.py", "/home/me/app/x.py"), Origin::Own);
  EXPECT_EQ(of("/srv/a/node_modules/ms/x.js", "/srv/b/node_modules/ms/x.js"), Origin::Library);
  // A runtime that lies in an unusual place is known by the usual one.
  EXPECT_EQ(of("/opt/tools/go/1.22/src/sort/sort.go", "/usr/local/go/src/sort/sort.go"), Origin::Runtime);
  // The user's word holds for either place.
  EXPECT_EQ(of("/new/x.py", "/old/x.py", {.own = {}, .library = {"^/old/"}}), Origin::Library);
  EXPECT_EQ(of("/new/node_modules/x.js", "/old/node_modules/x.js", {.own = {"^/old/"}, .library = {}}), Origin::Own);
}

TEST(own_code, is_what_the_user_says) {
  const OwnCodeRules rules{.own = {"^java\\.util\\."}, .library = {"/generated/", "^[0-9a-f]{8}$"}};
  EXPECT_EQ(origin(at("java.util.UUID.randomUUID", "UUID.java"), rules), Origin::Own);
  EXPECT_EQ(origin(at("f", "/srv/app/generated/x.py"), rules), Origin::Library);
  Entity built = at("f", "", "/srv/app/bin/server");
  built.build_id = "0123abcd";
  EXPECT_EQ(origin(built, rules), Origin::Library);
  EXPECT_FALSE(OwnCode::compile({.own = {"("}, .library = {}}).ok());
}

TEST(own_code, rules_are_lines_of_a_file) {
  const auto rules = parse_own_code_rules("# mine\nown ^com\\.shop\\.\n\n  library  /gen/  \r\n");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(rules->own, std::vector<std::string>{"^com\\.shop\\."});
  EXPECT_EQ(rules->library, std::vector<std::string>{"/gen/"});
  EXPECT_FALSE(parse_own_code_rules("mine x").ok());
  EXPECT_FALSE(parse_own_code_rules("own").ok());
}

TEST(code_origins, charge_libraries_to_the_first_caller_in_the_users_code) {
  Profile profile;
  profile.add_value_type("cpu", "nanoseconds");
  const auto own = profile.named_frame("com.shop.Order.place", "Order.java", 1);
  const auto uuid = profile.named_frame("java.util.UUID.randomUUID", "UUID.java", 1);
  const auto random = profile.named_frame("sun.security.Random.next", "Random.java", 1);
  const int64_t seven[] = {7}, two[] = {2}, one[] = {1};
  profile.samples.add(profile.stacks.intern(std::vector{random, uuid, own}), {}, seven);
  profile.samples.add(profile.stacks.intern(std::vector{own}), {}, two);
  profile.samples.add(profile.stacks.intern(std::vector{random}), {}, one);
  const CodeOrigins code(profile, 0, *OwnCode::compile({}));
  const auto charged = code.charged(profile, 0, Origin::Own);
  for (size_t i = 0; i < charged.size(); ++i)
    EXPECT_EQ(charged[i], code.attribution().entities()[i].name == "com.shop.Order.place" ? 9 : 0);
  EXPECT_EQ(code.outside(), 1);
  EXPECT_EQ(code.shown_as_own(), Origin::Own);
}

TEST(code_origins, fall_back_to_what_there_is) {
  Profile profile;
  profile.add_value_type("cpu", "nanoseconds");
  const int64_t one[] = {1};
  const auto random = profile.named_frame("sun.security.Random.next", "Random.java", 1);
  profile.samples.add(profile.stacks.intern(std::vector{random}), {}, one);
  const CodeOrigins code(profile, 0, *OwnCode::compile({}));
  EXPECT_EQ(code.shown_as_own(), Origin::Runtime);
  EXPECT_EQ(code.outside(), 0);
}

}  // namespace atys::reduce
