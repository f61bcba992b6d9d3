// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/file_matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "reduce/matching/renamed_files.h"

namespace atys::reduce::matching {

namespace {

using Texts = std::vector<std::string>;

std::vector<CodeFile> with(const std::map<std::string, Texts>& functions) {
  std::vector<CodeFile> result;
  for (const auto& [path, names] : functions) {
    result.push_back({path, names});
    std::ranges::sort(result.back().functions);
  }
  return result;
}

std::vector<CodeFile> files(const Texts& paths) {
  std::vector<CodeFile> result;
  for (const std::string& path : paths) result.push_back({path, {"f"}});
  return result;
}

Texts pairs(const std::vector<CodeFile>& base, const std::vector<CodeFile>& fresh) {
  Texts texts;
  for (const FileMatch& match : match_files(base, fresh))
    texts.push_back(base[match.base].path + " = " + fresh[match.fresh].path);
  return texts;
}

}  // namespace

TEST(file_matching, follows_files_from_folder_to_folder) {
  EXPECT_EQ(pairs(files(Texts{"old/app.py"}), files(Texts{"new/app.py"})), (Texts{"old/app.py = new/app.py"}));
  EXPECT_EQ(pairs(files(Texts{"/w/old/a/util.py", "/w/old/b/util.py"}), files(Texts{"/srv/b/util.py", "/srv/a/util.py"})),
            (Texts{"/w/old/a/util.py = /srv/a/util.py", "/w/old/b/util.py = /srv/b/util.py"}));
  EXPECT_EQ(pairs(files(Texts{"/proc/self/cwd/src/x.cpp"}), files(Texts{"/home/me/src/x.cpp"})),
            (Texts{"/proc/self/cwd/src/x.cpp = /home/me/src/x.cpp"}));
}

TEST(file_matching, leaves_a_file_alone_that_has_no_counterpart) {
  EXPECT_EQ(pairs(files(Texts{"/w/a/util.py", "/w/b/util.py"}), files(Texts{"/v/b/util.py"})),
            (Texts{"/w/b/util.py = /v/b/util.py"}));
  EXPECT_EQ(pairs(files(Texts{"/w/a.py"}), files(Texts{"/w/b.py"})), Texts{});
}

TEST(file_matching, knows_packages_in_whatever_version_and_environment) {
  const Texts base{"/v1/lib/python3.11/site-packages/django/utils/html.py",
                   "/usr/lib/python3.11/json/decoder.py",
                   "/a/node_modules/ms/index.js",
                   "/home/a/go/pkg/mod/github.com/x/y@v1.2.3/util.go",
                   "/home/a/.cargo/registry/src/registry.example-6f17d22bba15001f/serde-1.0.1/src/lib.rs",
                   "/var/lib/gems/3.1.0/gems/rack-2.2.4/lib/rack.rb"};
  const Texts fresh{"/v2/lib/python3.12/site-packages/django/utils/html.py",
                    "/opt/lib/python3.12/json/decoder.py",
                    "/b/c/node_modules/ms/index.js",
                    "/home/me/go/pkg/mod/github.com/x/y@v1.3.0/util.go",
                    "/home/me/.cargo/registry/src/github.com-1ecc6299db9ec823/serde-1.0.9/src/lib.rs",
                    "/usr/share/gems/rack-3.0.0/lib/rack.rb"};
  EXPECT_EQ(match_files(files(base), files(fresh)).size(), base.size());
}

TEST(file_matching, never_takes_one_package_for_another) {
  EXPECT_EQ(pairs(files(Texts{"/w/node_modules/a/index.js"}), files(Texts{"/w/node_modules/b/index.js"})), Texts{});
  EXPECT_EQ(pairs(files(Texts{"/w/node_modules/a/index.js"}), files(Texts{"/w/src/index.js"})), Texts{});
  EXPECT_EQ(pairs(files(Texts{"/w/node_modules/a/index.js"}), files(Texts{"/home/me/a/index.js"})),
            (Texts{"/w/node_modules/a/index.js = /home/me/a/index.js"}));
}

TEST(file_matching, tells_versions_of_one_package_in_one_program_apart) {
  const Texts base{"/w/node_modules/ms/index.js", "/w/node_modules/debug/node_modules/ms/index.js"};
  const Texts fresh{"/v/node_modules/debug/node_modules/ms/index.js", "/v/node_modules/ms/index.js"};
  EXPECT_EQ(pairs(files(base), files(fresh)),
            (Texts{"/w/node_modules/ms/index.js = /v/node_modules/ms/index.js",
                   "/w/node_modules/debug/node_modules/ms/index.js = /v/node_modules/debug/node_modules/ms/index.js"}));
  const std::string cargo = "/.cargo/registry/src/index/hashbrown-";
  EXPECT_EQ(pairs(files(Texts{cargo + "0.9.1/a.rs", cargo + "0.14.0/a.rs"}),
                  files(Texts{cargo + "0.15.0/a.rs", cargo + "0.12.3/a.rs"})),
            (Texts{cargo + "0.9.1/a.rs = " + cargo + "0.12.3/a.rs", cargo + "0.14.0/a.rs = " + cargo + "0.15.0/a.rs"}));
}

TEST(file_matching, believes_the_folders_that_most_files_moved_to) {
  // /w/a became /v/a; util.py lay elsewhere and is another one.
  const auto base = with({{"/w/a/x.py", {"x"}}, {"/w/a/y.py", {"y"}}, {"/w/a/z.py", {"z"}}, {"/w/a/util.py", {"p", "q"}}});
  const auto other = with({{"/v/a/x.py", {"x"}}, {"/v/a/y.py", {"y"}}, {"/v/a/z.py", {"z"}}, {"/v/b/util.py", {"r"}}});
  EXPECT_EQ(pairs(base, other).size(), 3u);
  const auto moved = with({{"/v/a/x.py", {"x"}}, {"/v/a/y.py", {"y"}}, {"/v/a/z.py", {"z"}}, {"/v/b/util.py", {"p"}}});
  EXPECT_EQ(pairs(base, moved).size(), 4u);
}

TEST(file_matching, follows_a_file_that_was_renamed_where_it_is_plain) {
  EXPECT_EQ(pairs(with({{"/w/parser.py", {"parse", "peek"}}}), with({{"/w/_parser.py", {"parse", "skip"}}})),
            (Texts{"/w/parser.py = /w/_parser.py"}));
  EXPECT_EQ(pairs(with({{"/w/html.py", {"a", "b", "c"}}}), with({{"/v/text/escape.py", {"a", "b"}}})),
            (Texts{"/w/html.py = /v/text/escape.py"}));
  EXPECT_EQ(pairs(with({{"/w/app.3f2a1b9c.js", {"a"}}}), with({{"/w/app.77aa01de.js", {"a"}}})),
            (Texts{"/w/app.3f2a1b9c.js = /w/app.77aa01de.js"}));
  // One function is little, two candidates are no evidence, another language is another file.
  EXPECT_EQ(pairs(with({{"/w/html.py", {"run"}}}), with({{"/w/jobs.py", {"run"}}})), Texts{});
  EXPECT_EQ(pairs(with({{"/w/a1.py", {"x", "y"}}}), with({{"/w/b1.py", {"x", "y"}}, {"/w/c1.py", {"x", "y"}}})), Texts{});
  EXPECT_EQ(pairs(with({{"/w/parser.py", {"parse"}}}), with({{"/w/parser.go", {"parse"}}})), Texts{});
}

TEST(renamed_files, have_similar_names) {
  EXPECT_TRUE(has_similar_name("parser.py", "_parser.pyx"));
  EXPECT_TRUE(has_similar_name("index.js", "index.mjs"));
  EXPECT_TRUE(has_similar_name("parser.c", "parser_new.c"));
  EXPECT_FALSE(has_similar_name("parser.c", "printer.c"));
  EXPECT_FALSE(has_similar_name("a.c", "abc.c"));
}

}  // namespace atys::reduce::matching
