// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/code_path.h"

#include <gtest/gtest.h>

namespace atys::reduce::matching {

TEST(code_path, takes_versions_and_hashes_off) {
  for (const auto& [part, stem] : std::initializer_list<std::pair<const char*, const char*>>{
           {"lodash@4.17.21", "lodash"},
           {"yaml@v1.2.3", "yaml"},
           {"@babel", "@babel"},
           {"serde-1.0.188", "serde"},
           {"regex-automata-0.4.3", "regex-automata"},
           {"node-v18.17.0-linux-x64", "node"},
           {"java-17-openjdk-amd64", "java"},
           {"python3.11", "python"},
           {"go1.22.1", "go"},
           {"registry.example-6f17d22bba15001f", "registry.example"},
           {"libz.so.1.2.13", "libz.so"},
           {"guava-23.0.jar", "guava"},
           {"libpython3.12.so.1.0", "libpython"},
           {"_json.cpython-311-x86_64-linux-gnu.so", "_json"},
           {"1.2.3", "#"},
           {"12", "#"},
           {"20240131", "#"},
           {"6f17d22bba15001f", "#"},
           // What is no version.
           {"v1", "v1"},
           {"app.py", "app.py"},
           {"utf8.c", "utf8.c"},
           {"base64", "base64"},
           {"app-1.2.js", "app-1.2.js"},
           {"utf-8.py", "utf-8.py"},
           {"my-package", "my-package"},
           {"", ""},
           {"-", "-"},
       }) {
    EXPECT_EQ(without_version(part), stem) << part;
  }
}

TEST(code_path, finds_the_package_that_a_file_belongs_to) {
  for (const auto& [path, package, in_package] : std::initializer_list<std::tuple<const char*, const char*, size_t>>{
           {"/v/lib/python3.11/site-packages/django/utils/html.py", "python django", 3},
           {"/usr/lib/python3/dist-packages/six.py", "python six.py", 1},
           {"/usr/lib/python3.11/json/decoder.py", "python-lib", 2},
           {"/srv/node_modules/lodash/lodash.js", "node lodash", 2},
           {"/srv/node_modules/a/node_modules/@babel/core/lib/index.js", "node @babel/core", 4},
           {"/home/a/go/pkg/mod/github.com/yuin/goldmark@v1.7.0/parser/parser.go", "go github.com/yuin/goldmark", 5},
           {"github.com/yuin/goldmark@v1.7.1/parser/parser.go", "go github.com/yuin/goldmark", 5},
           {"/home/a/.cargo/registry/src/registry.example-6f17d22bba15001f/serde-1.0.188/src/lib.rs", "rust serde", 3},
           {"/var/lib/gems/3.1.0/gems/rack-2.2.4/lib/rack.rb", "ruby rack", 3},
           {"/srv/app/vendor/symfony/console/Application.php", "vendor symfony", 3},
           {"/home/me/app/main.py", "", 0},
           {"", "", 0},
       }) {
    const CodePath parsed = parse_code_path(path);
    EXPECT_EQ(parsed.package, package) << path;
    EXPECT_EQ(parsed.in_package, in_package) << path;
  }
}

TEST(code_path, walks_dots_and_leaves_sandboxes) {
  const auto text = [](const char* path) {
    const CodePath parsed = parse_code_path(path);
    return path_of_parts(parsed, 0, parsed.parts.size());
  };
  EXPECT_EQ(text("/a/./b/../c.cpp"), "/a/c.cpp");
  EXPECT_EQ(text("../src/c.cpp"), "../src/c.cpp");
  EXPECT_EQ(text("/proc/self/cwd/src/c.cpp"), "src/c.cpp");
  EXPECT_EQ(text("/proc/712/root/app/c.py"), "/app/c.py");
  EXPECT_EQ(text("file:///srv/app.mjs?v=3"), "/srv/app.mjs");
  EXPECT_EQ(text("/"), "/");
  EXPECT_EQ(text("/../a"), "/../a");
}

TEST(code_path, keeps_the_end_of_a_path_that_is_too_long) {
  std::string path;
  for (int i = 0; i < 1000; ++i) path += "/d" + std::to_string(i);
  const CodePath parsed = parse_code_path(path);
  ASSERT_EQ(parsed.parts.size(), kMostParts);
  EXPECT_EQ(parsed.name(), "d999");
}

}  // namespace atys::reduce::matching
